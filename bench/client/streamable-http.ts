/** Streamable HTTP: every message is a POST. Its response carries the messages that belong to it. */
import {
  MODERN,
  type Address,
  type Connection,
  type ConnectionHandler,
  type Revision,
} from "./connection.ts";
import { HttpPool } from "./http-pool.ts";

const FIXED_HEADERS = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";

export function connectHttp({ port }: Address, handler: ConnectionHandler, revision: Revision): Connection {
  const pool = new HttpPool(port, (error) => handler.onError(error));
  let sessionHeader = "";
  const onMessage = (data: string): void => handler.onMessage(data);
  const onHead = ({ session }: { readonly session: string | undefined }): void => {
    if (sessionHeader === "" && session !== undefined) sessionHeader = `mcp-session-id: ${session}\r\n`;
  };
  const headersFor = (name: string | undefined): string => {
    if (revision !== MODERN)
      return sessionHeader === ""
        ? FIXED_HEADERS
        : `${FIXED_HEADERS}${sessionHeader}mcp-protocol-version: ${revision}\r\n`;
    const nameHeader = name === undefined ? "" : `mcp-name: ${name}\r\n`;
    return `${FIXED_HEADERS}mcp-protocol-version: ${revision}\r\nmcp-method: tools/call\r\n${nameHeader}`;
  };
  return {
    send: (text, name) => pool.request("POST /mcp", headersFor(name), text, { onMessage, onHead }),
    openGetStream: () => pool.request("GET /mcp", headersFor(undefined), "", { onMessage }),
    close: () => pool.close(),
  };
}
