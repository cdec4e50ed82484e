/** Streamable HTTP: every message is a POST, and what belongs to it comes back with its response. */
import { HttpPool } from "./http-pool.ts";
import { MODERN, type Address, type Ears, type Revision, type Wire } from "./wire.ts";

const ALWAYS = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";

export function overHttp({ port }: Address, ears: Ears, revision: Revision): Wire {
  const pool = new HttpPool(port, (error) => ears.fail(error));
  let session = "";
  const hear = (data: string): void => ears.hear(data);
  const head = ({ session: given }: { readonly session: string | undefined }): void => {
    if (session === "" && given !== undefined) session = `mcp-session-id: ${given}\r\n`;
  };
  const headersFor = (name: string | undefined): string => {
    if (revision !== MODERN)
      return session === "" ? ALWAYS : `${ALWAYS}${session}mcp-protocol-version: ${revision}\r\n`;
    const called = name === undefined ? "" : `mcp-name: ${name}\r\n`;
    return `${ALWAYS}mcp-protocol-version: ${revision}\r\nmcp-method: tools/call\r\n${called}`;
  };
  return {
    send: (text, name) => pool.request("POST /mcp", headersFor(name), text, { message: hear, head }),
    listen: () => pool.request("GET /mcp", headersFor(undefined), "", { message: hear }),
    close: () => pool.close(),
  };
}
