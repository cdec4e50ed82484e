/** How a call is spelled. What does not change from call to call is spelled once. */
import { MODERN, type Revision } from "./wire.ts";

export const clientInfo = { name: "bench", version: "1" };
export const capabilities = { elicitation: {} };

/** What every request of 2026-07-28 says of itself. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
};

/** What is called. */
export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether its progress is to be told. */
  readonly isTold?: boolean;
}

/** Gives back how this call is spelled with an id and, for a retry, with what it brings. */
export function spell(call: Call, revision: Revision): (id: number, brought?: object) => string {
  const params = { name: call.tool, arguments: call.input };
  const always = revision === MODERN ? meta : {};
  const fixed = JSON.stringify({ ...params, _meta: always });
  return (id, brought) => {
    const isFixed = brought === undefined && call.isTold !== true;
    const token = call.isTold === true ? { progressToken: id } : {};
    const text = isFixed ? fixed : JSON.stringify({ ...params, ...brought, _meta: { ...always, ...token } });
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${text}}`;
  };
}
