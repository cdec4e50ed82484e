/** The JSON of a `tools/call`. The parts that are the same in every call are serialized once. */
import { MODERN, type Revision } from "./connection.ts";

export const clientInfo = { name: "bench", version: "1" };
export const capabilities = { elicitation: {} };

/** The `_meta` of every request of 2026-07-28. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": capabilities,
};

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the call has a progress token. */
  readonly wantsProgress?: boolean;
}

/** Returns a function that formats this call with an id and, for a retry, with the answers and the state. */
export function callFormatter(call: Call, revision: Revision): (id: number, retryParams?: object) => string {
  const params = { name: call.tool, arguments: call.input };
  const fixedMeta = revision === MODERN ? meta : {};
  const fixedParams = JSON.stringify({ ...params, _meta: fixedMeta });
  return (id, retryParams) => {
    const isFixed = retryParams === undefined && call.wantsProgress !== true;
    const token = call.wantsProgress === true ? { progressToken: id } : {};
    const text = isFixed
      ? fixedParams
      : JSON.stringify({ ...params, ...retryParams, _meta: { ...fixedMeta, ...token } });
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${text}}`;
  };
}
