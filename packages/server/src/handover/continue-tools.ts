/** The tools with which a model continues a call: their names, their listings, and the run and answer that they are called with. */
import {
  asPredicate,
  checkAnswer,
  InvalidDefinition,
  jsonFrom,
  type OpenQuestion,
  readAnswer,
  type Replies,
  type Reply,
  type Round,
  type Tool,
  yesOrNo,
} from "@photon/core";
import { isExpired } from "../calls/question-deadlines.ts";
import type { Catalog, Definitions } from "../catalog.ts";
import type { InboxReply } from "../durable/submit-answer.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";

export const CONTINUE = "photon_continue";
export const ANSWER = "photon_answer";

export const isContinueTool = (name: unknown): boolean => name === CONTINUE || name === ANSWER;

/** Whether a call of one of these tools may be handed over. Then both tools are listed. */
export function isHandoverEnabled(
  tools: readonly Tool<never>[],
  { whenUnsupported }: Pick<Settings, "whenUnsupported">,
): boolean {
  return tools.some((tool) => (tool.whenUnsupported ?? whenUnsupported) !== "fail");
}

/** Returns the definitions. Throws where a tool has one of the two names, and calls are handed over. */
export function rejectReservedNames(
  definitions: Definitions,
  settings: Pick<Settings, "whenUnsupported">,
): Definitions {
  if (definitions.tools === undefined) return definitions;
  // Read once: it may be a generator.
  const tools = [...definitions.tools];
  const reserved = tools.find(({ name }) => isContinueTool(name));
  if (reserved === undefined || !isHandoverEnabled(tools, settings)) return { ...definitions, tools };
  throw new InvalidDefinition(
    `The name ${JSON.stringify(reserved.name)} is reserved: where whenUnsupported is "page" or "relay", the server adds a tool with this name. Rename yours.`,
  );
}

/** Whether `photon_continue` continues calls of clients that accept no more rounds of questions. */
export function continuesCalls({
  catalog,
  settings,
}: {
  readonly catalog: Catalog;
  readonly settings: Settings;
}): boolean {
  return Number.isFinite(settings.limits.roundsPerCall) && catalog.tools.find(CONTINUE) === undefined;
}

/** A run in the store: its id, and the length of its log when the model was given the text. */
export interface StoredRunRef {
  readonly run: string;
  readonly length: number;
}

export const formatStoredRun = ({ run, length }: StoredRunRef): string => `${run}.${length}`;

export function parseStoredRun(ref: string): StoredRunRef | undefined {
  const [, run, length] = /^(.+)\.(\d{1,9})$/s.exec(ref) ?? [];
  return run === undefined ? undefined : { run, length: Number(length) };
}

/** A run in the memory of a process; without a name for the process, there is only one. */
export const formatOwnedRun = (run: string, process: string | undefined): string =>
  process === undefined ? run : `${run}@${process}`;

export function parseOwnedRun(ref: string): { readonly run: string; readonly process: string | undefined } {
  const at = ref.lastIndexOf("@");
  return at < 0 ? { run: ref, process: undefined } : { run: ref.slice(0, at), process: ref.slice(at + 1) };
}

const runSchema = { type: "string", description: "The run, as the text of the call gave it." };

export const continueTool: JsonObject = {
  name: CONTINUE,
  description:
    "Continues a call that has not ended. Call it when the person says that they have answered on their page; or at once, if the text of the call says that there are more questions.",
  inputSchema: { type: "object", properties: { run: runSchema }, required: ["run"] },
};

export const handoverTools: readonly JsonObject[] = [
  continueTool,
  {
    name: ANSWER,
    description:
      "Continues a call that waits for an answer from the person you work for, with what they said. Never answer in their place.",
    inputSchema: {
      type: "object",
      properties: {
        run: runSchema,
        answer: {
          description:
            "What the person answered, in the form that the text of the call shows; for several questions an object by their keys.",
          anyOf: ["string", "number", "boolean", "array", "object", "null"].map((type) =>
            type === "array" ? { type, items: { type: "string" } } : { type },
          ),
        },
        action: {
          type: "string",
          enum: ["accept", "decline", "cancel"],
          description:
            "decline: they do not want to answer. cancel: they left the question. The default is accept.",
        },
      },
      required: ["run"],
    },
  },
];

/** The answer that a model passes on: what it says that the person answered. */
export interface ModelAnswer {
  readonly action: InboxReply["action"];
  readonly answer: unknown;
}

/**
 * The replies to the questions of a round. An answer that does not fit gives no reply, but a note for the model. `isOne`: the model
 * was told of one question, and gives its answer; otherwise it gives the answers by key.
 */
export async function parseModelAnswer(
  { action, answer }: ModelAnswer,
  round: Round,
  isOne: boolean,
  now: number,
): Promise<{ readonly replies: Replies } | { readonly note: string }> {
  // Models also pass on as text what they were shown as an object.
  const given = !isOne && typeof answer === "string" ? jsonFrom(answer) : answer;
  const replies: Record<string, Reply> = {};
  for (const question of Object.values(round)) {
    const { key } = question;
    if (isExpired(question, now)) replies[key] = { action: "timeout" };
    else if (action !== "accept") replies[key] = { action };
    else {
      const own = isRecord(given) && Object.hasOwn(given, key) ? given[key] : undefined;
      const reply = await parseReply(question, isOne ? given : own);
      if ("problem" in reply) return { note: `That answer does not fit: it ${reply.problem}.` };
      replies[key] = reply;
    }
  }
  return { replies };
}

/** Texts are parsed by the kind of the question, as in a terminal. */
async function parseReply(
  question: OpenQuestion,
  given: unknown,
): Promise<Reply | { readonly problem: string }> {
  const isUrl = question.emit === "ask" && question.ask === "url";
  if (isUrl && typeof given === "string") return parseUrlReply(given);
  const isParsed = question.emit === "ask" && question.ask !== "url" && question.ask !== "file";
  const value = isParsed ? readAnswer(question, given) : given;
  const verdict = await checkAnswer(question, value);
  if ("problem" in verdict) return { problem: asPredicate(question, verdict.problem) };
  return { action: "accept", value };
}

/** Whether a text says that the person has been at a web address. */
function parseUrlReply(text: string): Reply | { readonly problem: string } {
  const answer = yesOrNo(text);
  if (answer === false) return { action: "decline" };
  return answer === true || /^(?:done|null)$/i.test(text.trim())
    ? { action: "accept" }
    : { problem: "must be null once they have been there" };
}
