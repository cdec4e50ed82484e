/** Calls in 2026-07-28 with `fetch` alone, so that each request of a call can go to another process, or be sent again. */

interface Told {
  readonly method: string;
  readonly params: {
    readonly progressToken?: unknown;
    readonly progress?: number;
    readonly message?: string;
  };
}

/** The response to one request, and the notifications before it. */
export interface CallResponse {
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

/** Sends one request, and reads its response to the end. */
export async function post(url: string, call: Call, signal?: AbortSignal): Promise<CallResponse> {
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
  // The tests check it.
  const [answer, ...told] = messages.map((message) => JSON.parse(message) as object).toReversed();
  return { ...answer, told: told.toReversed() as Told[] };
}

/** Sends the request of a call with this number, from 0. */
export type Send = (call: Call, leg: number) => Promise<CallResponse>;

/** Calls a tool, and calls again with the answers until the call is complete. Returns the response to each request. */
export async function callAndAnswer(
  name: string,
  input: object,
  answers: { readonly [key: string]: unknown },
  send: Send,
): Promise<readonly CallResponse[]> {
  const call = { name, arguments: input };
  const responses = [await send(call, 0)];
  for (;;) {
    const { result } = responses.at(-1) ?? {};
    if (result?.resultType !== "input_required") return responses;
    const { requestState, inputRequests } = result;
    // A state without questions: the server wants the same request again.
    const again = {
      ...call,
      requestState,
      ...(inputRequests && { inputResponses: answersTo(inputRequests, answers) }),
    };
    responses.push(await send(again, responses.length));
  }
}

const answersTo = (asked: object, answers: { readonly [key: string]: unknown }): object =>
  Object.fromEntries(
    Object.keys(asked).map((key) => [key, { action: "accept", content: { value: answers[key] } }]),
  );
