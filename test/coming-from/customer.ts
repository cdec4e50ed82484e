/** Somebody who orders, at a client of the official SDK, of either generation, which has started the server by itself. */
import { Client as ModernClient, isInputRequiredResult } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdioTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitRequest,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolResult } from "../kitchen-sink/tool-result.ts";

export interface Program {
  readonly args: readonly string[];
  /** Where it runs, and orders. */
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

const INFO = { name: "customer", version: "1.0.0" };
const ORDER = { name: "order", arguments: { item: "tea" } };

type Answer = number | boolean | { readonly action: "decline" | "cancel" };
type Called = Pick<ToolResult, "content" | "isError">;
type Question = ElicitRequest["params"];

/** Answers a form of one field, one answer after another. */
function speaker(answers: readonly Answer[], asked: string[] = []) {
  const left = [...answers];
  return ({ message, ...params }: Question): ElicitResult => {
    asked.push(message);
    const answer = left.shift();
    if (answer === undefined || !("requestedSchema" in params)) throw new Error(`Nobody expects ${message}`);
    if (typeof answer === "object") return answer;
    const [field = ""] = Object.keys(params.requestedSchema.properties);
    return { action: "accept", content: { [field]: answer } };
  };
}

/** Orders tea on a session, and gives these answers. */
export async function orderTea(program: Program, answers: readonly Answer[]) {
  const asked: string[] = [];
  const client = new Client(INFO, { capabilities: { elicitation: {} } });
  const speak = speaker(answers, asked);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => speak(params));
  await client.connect(started(program));
  return { ...(await callBy(client)), asked };
}

/** Orders tea on a session, with a client that cannot ask anybody. */
export async function orderTeaUnasked(program: Program): Promise<Called> {
  const client = new Client(INFO);
  await client.connect(started(program));
  return callBy(client);
}

/** Orders tea on a session, and says nothing when asked. */
export async function orderTeaSilently(program: Program): Promise<Called> {
  const client = new Client(INFO, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => new Promise<never>(() => {}));
  await client.connect(started(program));
  return callBy(client);
}

/** Orders tea on a session with a server that is killed when it asks. */
export async function orderTeaFromTheDead(program: Program): Promise<Called> {
  const client = new Client(INFO, { capabilities: { elicitation: {} } });
  const transport = started(program);
  client.setRequestHandler(ElicitRequestSchema, () => {
    if (transport.pid !== null) process.kill(transport.pid, "SIGKILL");
    return new Promise<never>(() => {});
  });
  await client.connect(transport);
  return callBy(client);
}

/** Orders tea in 2026-07-28. */
export async function orderTeaModern(program: Program, answers: readonly Answer[]): Promise<Called> {
  const speak = speaker(answers);
  return withModern(program, async (client) => {
    client.setRequestHandler("elicitation/create", ({ params }) => speak(params));
    const { content, isError = false } = await client.callTool(ORDER);
    return { content, isError };
  });
}

/** Orders tea in 2026-07-28 from a server that ends after every request, and is started for the next. */
export async function orderTeaAcrossRestarts(program: Program, answers: readonly Answer[]): Promise<Called> {
  const speak = speaker(answers);
  let carried = {};
  for (;;) {
    const params = { ...ORDER, ...carried };
    const result = await withModern(program, (client) =>
      client.request({ method: "tools/call", params }, { allowInputRequired: true }),
    );
    if (!isInputRequiredResult(result)) return { content: result.content, isError: result.isError ?? false };
    const { requestState, inputRequests = {} } = result;
    const inputResponses = Object.fromEntries(
      // Nothing else is asked for.
      Object.entries(inputRequests).map(([key, asked]) => [key, speak(asked.params as Question)]),
    );
    carried = { requestState, inputResponses };
  }
}

async function withModern<Result>(
  { args, cwd, env }: Program,
  act: (client: ModernClient) => Promise<Result>,
): Promise<Result> {
  const client = new ModernClient(INFO, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  const more = env === undefined ? {} : { env };
  try {
    await client.connect(
      new ModernStdioTransport({
        command: process.execPath,
        args: [...args],
        cwd,
        stderr: "ignore",
        ...more,
      }),
    );
    return await act(client);
  } finally {
    await client.close();
  }
}

const started = ({ args, cwd }: Program): StdioClientTransport =>
  new StdioClientTransport({ command: process.execPath, args: [...args], cwd, stderr: "ignore" });

async function callBy(client: Client): Promise<Called> {
  try {
    const request = { method: "tools/call", params: ORDER } as const;
    const { content, isError = false } = await client.request(request, CallToolResultSchema);
    return { content, isError };
  } finally {
    await client.close();
  }
}
