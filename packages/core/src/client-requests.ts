/** The two other things a tool can ask of the other side: its model, and its folders. */
import { answerable, type Answerable } from "./ask/answerable.ts";
import { optionsProblem } from "./ask/refuse-impossible.ts";
import type { Root, Roots, Sample, SampleAnswer, SampleMessage } from "./effects.ts";
import { ImpossibleAsk } from "./errors.ts";
import { show } from "./show.ts";

/** What a sample may say beyond its messages. */
export type SampleOptions = Omit<Sample, "emit" | "messages" | "maxTokens"> & { readonly maxTokens?: number };

/** Asks the client's model; a text stands for one message of the user. */
export function sample(
  prompt: string | readonly SampleMessage[],
  options: SampleOptions = {},
): Answerable<Sample, SampleAnswer> {
  const messages: readonly SampleMessage[] =
    typeof prompt === "string" ? [{ role: "user", content: { type: "text", text: prompt } }] : prompt;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ImpossibleAsk("sample", `${show(prompt)} has no messages`);
  const { maxTokens = 1000 } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw new ImpossibleAsk("sample", `its maxTokens are ${show(maxTokens)}`);
  refuse("sample", options);
  return answerable({ ...options, emit: "sample", messages, maxTokens });
}

/** Asks the client for the folders it works in. */
export function roots(options: Omit<Roots, "emit"> = {}): Answerable<Roots, readonly Root[]> {
  refuse("roots", options);
  return answerable({ ...options, emit: "roots" });
}

function refuse(what: string, options: object): void {
  const problem = optionsProblem(options);
  if (problem !== undefined) throw new ImpossibleAsk(what, problem);
}
