/** Plays a performance in this process, with the test kit as the client: no wire, no time. */
import { errorResult, resultOf, type Emit, type OpenQuestion, type Result, type Tool } from "@photon/core";
import { acceptEmpty, cancel, decline, script, timeout, type TranscriptEntry } from "@photon/core/testing";
import { tools } from "../../examples/kitchen-sink/definitions.ts";
import type { NonAnswer, Performance } from "./performance.ts";
import type { Told } from "./told.ts";

/** One question is not answered. */
export interface Instead {
  readonly key: string;
  readonly action: NonAnswer;
}

export interface Rehearsed {
  readonly questions: readonly OpenQuestion[];
  readonly transcript: readonly TranscriptEntry[];
  readonly emits: readonly Emit[];
  readonly told: Told;
}

const words = { decline, cancel, timeout };

export function toolOf({ tool: wanted }: Performance): Tool<never> {
  const found = tools.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no tool ${wanted}.`);
  return found;
}

export async function rehearse(
  performance: Performance,
  instead?: Instead,
  tool: Tool<never> = toolOf(performance),
): Promise<Rehearsed> {
  if (performance.after !== undefined) await rehearse(performance.after);
  const questions: OpenQuestion[] = [];
  const host = script(
    (question) => {
      questions.push(question);
      return question.key === instead?.key ? words[instead.action]() : () => answerTo(question, performance);
    },
    performance.can === undefined ? {} : { can: performance.can },
  );
  const returned = await host.run(tool, performance.input).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const { transcript } = host;
  const emits = transcript.filter((one): one is Emit => "emit" in one);
  if ("error" in returned) return { questions, transcript, emits, told: toldOf(errorResult(returned.error)) };
  const result = await resultOf(tool, {
    done: true,
    value: returned.value,
    artifacts: emits.flatMap((one) => (one.emit === "artifact" ? [one.content] : [])),
    streamed: emits.flatMap((one) => (one.emit === "stream" ? [one.text] : [])).join(""),
  });
  return { questions, transcript, emits, told: toldOf(result) };
}

/** A result as it goes over the wire. */
function toldOf({ content, structured, isError }: Result): Told {
  return {
    content: content.map((block) => ({
      ...block,
      type: block.type === "link" ? "resource_link" : block.type,
    })),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

async function answerTo(question: OpenQuestion, { answers, model, roots }: Performance): Promise<unknown> {
  if (question.emit === "roots") return roots;
  if (question.emit === "sample")
    return { role: "assistant", model: "parrot", content: { type: "text", text: model } };
  if (question.ask === "url") {
    await pressButton(question.url);
    return acceptEmpty();
  }
  const answer = answers?.[question.key];
  if (answer === undefined) throw new Error(`Nobody knows what to say to ${question.key}.`);
  return turnOf(answer, question.attempt);
}

/** What is said at an attempt: `{ $attempts: […] }` is one after another. */
export function turnOf(answer: unknown, attempt: number): unknown {
  const isSeveral = typeof answer === "object" && answer !== null && "$attempts" in answer;
  // So written by hand, in the performances.
  return isSeveral ? (answer.$attempts as readonly unknown[])[attempt - 1] : answer;
}

/** Presses the button of a page that has one. */
export async function pressButton(url: string): Promise<void> {
  const { status } = await fetch(url, { method: "POST" });
  if (status !== 200) throw new Error(`The button at ${url} does not work: ${status}.`);
}
