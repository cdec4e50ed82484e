/** Clients of both versions of the SDK that start a server and order tea. */
import { isInputRequiredResult } from "@modelcontextprotocol/client";
import type { ElicitRequest } from "@modelcontextprotocol/sdk/types.js";
import type { AnswerHandler } from "../clients/answers.ts";
import { formsOnly, noCapabilities, type SdkClientOptions } from "../clients/sdk-client.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { stdioTransportV1, stdioV2 } from "../clients/stdio-connections.ts";
import type { ToolResult } from "../kitchen-sink/tool-result.ts";

export interface Program {
  readonly args: readonly string[];
  /** Where it runs, and orders. */
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

const INPUT = { item: "tea" };
const never = (): Promise<never> => new Promise(() => {});

type Answer = number | boolean | { readonly action: "decline" | "cancel" };
type Called = Pick<ToolResult, "content" | "isError">;
type Question = ElicitRequest["params"];

/** Answers forms of one field, with one answer after another. */
function answerWith(
  answers: readonly Answer[],
  asked: string[] = [],
): (question: Question) => ReturnType<AnswerHandler> {
  const left = [...answers];
  return ({ message, ...params }) => {
    asked.push(message);
    const answer = left.shift();
    if (answer === undefined || !("requestedSchema" in params))
      throw new Error(`There is no answer left for ${message}`);
    if (typeof answer === "object") return answer;
    const [field = ""] = Object.keys(params.requestedSchema.properties);
    return { action: "accept", content: { [field]: answer } };
  };
}

/** Orders tea on a session, with these answers. */
export async function orderTea(program: Program, answers: readonly Answer[]) {
  const asked: string[] = [];
  const answer = answerWith(answers, asked);
  return { ...(await orderV1(program, { answer: ({ params }) => answer(params) })), asked };
}

/** Orders tea on a session, with a client without elicitation. */
export const orderTeaUnasked = (program: Program): Promise<Called> =>
  orderV1(program, { capabilities: noCapabilities });

/** Orders tea on a session, and leaves the question open. */
export const orderTeaSilently = (program: Program): Promise<Called> => orderV1(program, { answer: never });

/** Orders tea on a session with a server that is killed when it asks. */
export const orderTeaFromTheDead = (program: Program): Promise<Called> =>
  orderV1(program, {}, (pid) => process.kill(pid, "SIGKILL"));

/** Orders tea in 2026-07-28. */
export function orderTeaModern(program: Program, answers: readonly Answer[]): Promise<Called> {
  const answer = answerWith(answers);
  return withV2(program, (client) => {
    client.answer = ({ params }) => answer(params);
    return client.call("order", INPUT);
  });
}

/** Orders tea in 2026-07-28 from a server that ends after every request, and is started for the next. */
export async function orderTeaAcrossRestarts(program: Program, answers: readonly Answer[]): Promise<Called> {
  const answer = answerWith(answers);
  let carried = {};
  for (;;) {
    const params = { name: "order", arguments: INPUT, ...carried };
    const result = await withV2(program, ({ sdk }) =>
      sdk.request({ method: "tools/call", params }, { allowInputRequired: true }),
    );
    if (!isInputRequiredResult(result)) return { content: result.content, isError: result.isError ?? false };
    const { requestState, inputRequests = {} } = result;
    const inputResponses = Object.fromEntries(
      // The tool asks nothing but questions.
      Object.entries(inputRequests).map(([key, asked]) => [key, answer(asked.params as Question)]),
    );
    carried = { requestState, inputResponses };
  }
}

/** `onAsked` receives the id of the process when the server asks, and the question stays open. */
async function orderV1(
  { args, cwd }: Program,
  options: SdkClientOptions,
  onAsked?: (pid: number) => void,
): Promise<Called> {
  const transport = stdioTransportV1(args, { cwd });
  const client = new SdkV1Client({ transport }, { capabilities: formsOnly, ...options });
  if (onAsked !== undefined)
    client.answer = () => {
      if (transport.pid !== null) onAsked(transport.pid);
      return never();
    };
  try {
    await client.connect();
    return await client.call("order", INPUT);
  } finally {
    await client.close();
  }
}

async function withV2<Result>(
  { args, ...options }: Program,
  act: (client: SdkV2Client) => Promise<Result>,
): Promise<Result> {
  const client = new SdkV2Client(stdioV2(args, options), { capabilities: formsOnly });
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.close();
  }
}
