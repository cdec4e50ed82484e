/** The two other things a tool can ask of the other side: its model, and its folders. */
import { answerable, type Answerable } from "./ask/answerable.ts";
import { optionsProblem } from "./ask/refuse-impossible.ts";
import { readContent, type Content } from "./content.ts";
import type { Root, Roots, Sample, SampleAnswer, SampleMessage } from "./effects.ts";
import { ImpossibleAsk } from "./errors.ts";
import { frozenCopy, isPlainObject } from "./util/json.ts";
import { show } from "./util/describe-value.ts";

/** What a sample may say beyond its messages. */
export type SampleOptions = Omit<Sample, "emit" | "messages" | "maxTokens"> & { readonly maxTokens?: number };

const SAMPLE_OPTIONS = [
  "id",
  "timeout",
  "fallback",
  "maxTokens",
  "systemPrompt",
  "temperature",
  "stopSequences",
  "modelPreferences",
];
const ROOTS_OPTIONS = ["id", "timeout", "fallback"];

/** Asks the client's model; a text stands for one message of the user. */
export function sample(
  prompt: string | readonly SampleMessage[],
  options: SampleOptions = {},
): Answerable<Sample, SampleAnswer> {
  refuse("sample", options, SAMPLE_OPTIONS);
  const odd = oddOption(options);
  if (odd !== undefined) throw new ImpossibleAsk("sample", odd);
  const { maxTokens = 1000 } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new ImpossibleAsk("sample", `its maxTokens are ${show(maxTokens)}; give a whole number above 0`);
  }
  // Copied before they are looked at, so that what was looked at is what is sent.
  const copied = frozenCopy({ ...options, maxTokens, messages: messagesFrom(prompt) });
  return answerable({ ...copied, emit: "sample" });
}

/** Asks the client for the folders it works in. */
export function roots(options: Omit<Roots, "emit"> = {}): Answerable<Roots, readonly Root[]> {
  refuse("roots", options, ROOTS_OPTIONS);
  return answerable({ ...frozenCopy(options), emit: "roots" });
}

function messagesFrom(prompt: unknown): readonly SampleMessage[] {
  if (typeof prompt === "string") return [{ role: "user", content: { type: "text", text: prompt } }];
  if (!Array.isArray(prompt) || prompt.length === 0)
    throw new ImpossibleAsk("sample", `${show(prompt)} has no messages`);
  return prompt.map((message: unknown) => {
    const { role, content }: Readonly<Record<string, unknown>> = isPlainObject(message) ? message : {};
    const blocks = (Array.isArray(content) ? content : [content]).map(readContent);
    if ((role !== "user" && role !== "assistant") || blocks.length === 0 || blocks.includes(undefined)) {
      throw new ImpossibleAsk(
        "sample",
        `${show(message)} is no message; it has a role, user or assistant, and content`,
      );
    }
    // Every block was read.
    return { role, content: (Array.isArray(content) ? blocks : blocks[0]) as Content | readonly Content[] };
  });
}

/** What is wrong with the settings of a sample that only its model reads. */
function oddOption({ systemPrompt, temperature, stopSequences }: SampleOptions): string | undefined {
  if (systemPrompt !== undefined && typeof systemPrompt !== "string")
    return `its systemPrompt is ${show(systemPrompt)}; it is a text`;
  if (temperature !== undefined && !Number.isFinite(temperature))
    return `its temperature is ${show(temperature)}; it is a number`;
  const isList =
    stopSequences === undefined ||
    (Array.isArray(stopSequences) && stopSequences.every((one) => typeof one === "string"));
  return isList ? undefined : `its stopSequences are ${show(stopSequences)}; they are a list of texts`;
}

function refuse(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  const problem =
    unknown === undefined
      ? optionsProblem(options)
      : `it has no ${JSON.stringify(unknown)}; it has ${known.join(", ")}`;
  if (problem !== undefined) throw new ImpossibleAsk(what, problem);
}
