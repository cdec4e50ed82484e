/** A client of 2026-07-28 that knows no more than the specification: requests out, answers and what was told in. */

interface Told {
  readonly method: string;
  readonly params: {
    readonly progressToken?: unknown;
    readonly progress?: number;
    readonly message?: string;
  };
}

/** What came of one request. */
export interface Came {
  readonly told: readonly Told[];
  readonly result?: {
    readonly resultType: string;
    readonly requestState?: string;
    readonly inputRequests?: { readonly [key: string]: { readonly params: { readonly message?: string } } };
    readonly structuredContent?: unknown;
    readonly content?: readonly { readonly text?: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Call {
  readonly name: string;
  readonly arguments: object;
  readonly inputResponses?: object;
  readonly requestState?: string | undefined;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

let ids = 0;

/** Sends one request, and reads all of the answer. */
export async function post(url: string, call: Call, signal?: AbortSignal): Promise<Came> {
  ids += 1;
  const params = { ...call, _meta: { ...meta, progressToken: `token-${ids}` } };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": call.name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ids, method: "tools/call", params }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const messages = isStream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data) : [text];
  // Looked at by the tests.
  const [answer, ...told] = messages.map((message) => JSON.parse(message) as object).toReversed();
  return { ...answer, told: told.toReversed() as Told[] };
}

/** How a request is sent: which it is, from 0, decides where it goes. */
export type Send = (call: Call, leg: number) => Promise<Came>;

/** Calls a tool, and calls again with the answers until it asks no more. Gives what came of each request. */
export async function converse(
  name: string,
  input: object,
  answers: { readonly [key: string]: unknown },
  send: Send,
): Promise<readonly Came[]> {
  const call = { name, arguments: input };
  const legs = [await send(call, 0)];
  for (;;) {
    const { result } = legs.at(-1) ?? {};
    if (result?.resultType !== "input_required") return legs;
    const { requestState, inputRequests } = result;
    // A state without questions: the server wants the same request again.
    const again = {
      ...call,
      requestState,
      ...(inputRequests && { inputResponses: answersTo(inputRequests, answers) }),
    };
    legs.push(await send(again, legs.length));
  }
}

const answersTo = (asked: object, answers: { readonly [key: string]: unknown }): object =>
  Object.fromEntries(
    Object.keys(asked).map((key) => [key, { action: "accept", content: { value: answers[key] } }]),
  );
