/**
 * A server that validates nothing: the minimum of work for a JSON-RPC server in JavaScript that handles these calls.
 *
 * It supports both revisions, with questions. An invalid message makes it throw, and it accepts a requestState that was changed.
 */

interface Reply {
  readonly content?: { readonly value?: string };
}

/** A message, as it is expected. Nothing validates it. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string; readonly questions?: number };
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly inputResponses?: Readonly<Record<string, Reply>>;
    readonly requestState?: string;
  };
  readonly result?: Reply;
}

export type Send = (message: object) => void;

const VERSION = "io.modelcontextprotocol/protocolVersion";
const serverInfo = { name: "thin", version: "1" };
const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};
const text = (words: string): object => ({ content: [{ type: "text", text: words }] });
const elicitation = {
  message: "Name?",
  requestedSchema: {
    type: "object",
    properties: { value: { type: "string", title: "Name?" } },
    required: ["value"],
  },
};

/** The open questions of sessions, by id. */
const open = new Map<string, (value: string) => void>();
let questions = 0;

export function handleMessage(message: Message, send: Send): void {
  const { id, method, params = {} } = message;
  const { name, _meta: meta = {} } = params;
  const reply = (result: object): void => send({ jsonrpc: "2.0", id, result });
  if (method === undefined) return onReply(message);
  if (method === "initialize") {
    const { protocolVersion } = params;
    reply({ protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "server/discover") reply(discovered);
  else if (method === "ping") reply({});
  else if (method === "tools/call") {
    const isModern = meta[VERSION] !== undefined;
    const end = (words: string): void =>
      reply(isModern ? { resultType: "complete", ...text(words) } : text(words));
    const { text: words = "", questions: wanted = 0 } = params.arguments ?? {};
    if (name === "notify") notify(meta["progressToken"], send, end);
    else if (name !== "ask") end(words);
    else if (isModern) askModern(wanted, params, reply, end);
    else askSession(wanted, "", send, end);
  }
}

function onReply({ id = "", result }: Message): void {
  const onAnswer = open.get(String(id));
  open.delete(String(id));
  onAnswer?.(result?.content?.value ?? "");
}

function askSession(left: number, names: string, send: Send, end: (words: string) => void): void {
  if (left === 0) return end(names);
  const id = `question-${questions++}`;
  open.set(id, (value) => askSession(left - 1, `${names} ${value}`, send, end));
  send({ jsonrpc: "2.0", id, method: "elicitation/create", params: elicitation });
}

function askModern(
  wanted: number,
  { inputResponses, requestState = '{"asked":0,"names":""}' }: NonNullable<Message["params"]>,
  reply: (result: object) => void,
  end: (words: string) => void,
): void {
  // The server's own state, if the client did not change it.
  const before = JSON.parse(requestState) as { readonly asked: number; readonly names: string };
  const names = `${before.names} ${inputResponses?.["name"]?.content?.value ?? ""}`;
  if (before.asked === wanted) return end(names);
  reply({
    resultType: "input_required",
    inputRequests: { name: { method: "elicitation/create", params: elicitation } },
    requestState: JSON.stringify({ asked: before.asked + 1, names }),
  });
}

function notify(progressToken: unknown, send: Send, end: (words: string) => void): void {
  for (let progress = 1; progress <= 100; progress++) {
    const params = { progressToken, progress, total: 100 };
    send({ jsonrpc: "2.0", method: "notifications/progress", params });
  }
  end("done");
}
