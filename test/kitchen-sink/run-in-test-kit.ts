/** Runs a scenario in this process with the test kit as the client: without a wire or timers. */
import { errorResult, resultOf, type Emit, type OpenQuestion, type Result, type Tool } from "@photon/core";
import { acceptEmpty, cancel, decline, script, timeout, type TranscriptEntry } from "@photon/core/testing";
import { tools } from "../../examples/kitchen-sink/definitions.ts";
import type { NonAnswer, Scenario } from "./scenario.ts";
import type { ToolResult } from "./tool-result.ts";

/** One question is not answered. */
export interface Instead {
  readonly key: string;
  readonly action: NonAnswer;
}

export interface TestKitRun {
  readonly questions: readonly OpenQuestion[];
  readonly transcript: readonly TranscriptEntry[];
  readonly emits: readonly Emit[];
  readonly result: ToolResult;
}

const words = { decline, cancel, timeout };

export function toolOf({ tool: wanted }: Scenario): Tool<never> {
  const found = tools.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no tool ${wanted}.`);
  return found;
}

export async function runInTestKit(
  scenario: Scenario,
  instead?: Instead,
  tool: Tool<never> = toolOf(scenario),
): Promise<TestKitRun> {
  if (scenario.after !== undefined) await runInTestKit(scenario.after);
  const questions: OpenQuestion[] = [];
  const host = script(
    (question) => {
      questions.push(question);
      return question.key === instead?.key ? words[instead.action]() : () => answerTo(question, scenario);
    },
    scenario.can === undefined ? {} : { can: scenario.can },
  );
  const returned = await host.run(tool, scenario.input ?? {}).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const { transcript } = host;
  const emits = transcript.filter((one): one is Emit => "emit" in one);
  if ("error" in returned)
    return { questions, transcript, emits, result: toolResultOf(errorResult(returned.error)) };
  const result = await resultOf(tool, {
    done: true,
    value: returned.value,
    artifacts: emits.flatMap((one) => (one.emit === "artifact" ? [one.content] : [])),
    streamed: emits.flatMap((one) => (one.emit === "stream" ? [one.text] : [])).join(""),
  });
  return { questions, transcript, emits, result: toolResultOf(result) };
}

/** The result as it is sent over the wire. */
function toolResultOf({ content, structured, isError }: Result): ToolResult {
  return {
    content: content.map((block) => ({
      ...block,
      type: block.type === "link" ? "resource_link" : block.type,
    })),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

async function answerTo(question: OpenQuestion, { answers, model, roots }: Scenario): Promise<unknown> {
  if (question.emit === "roots") return roots;
  if (question.emit === "sample")
    return { role: "assistant", model: "echo", content: { type: "text", text: model } };
  if (question.ask === "url") {
    await pressButton(question.url);
    return acceptEmpty();
  }
  const answer = answers?.[question.key];
  if (answer === undefined) throw new Error(`Nobody knows what to say to ${question.key}.`);
  return turnOf(answer, question.attempt);
}

/** The answer at an attempt: `{ $attempts: […] }` has one for each. */
export function turnOf(answer: unknown, attempt: number): unknown {
  const isSeveral = typeof answer === "object" && answer !== null && "$attempts" in answer;
  // The scenarios have it in this form.
  return isSeveral ? (answer.$attempts as readonly unknown[])[attempt - 1] : answer;
}

/** Presses the button of a page that has one. */
export async function pressButton(url: string): Promise<void> {
  const { status } = await fetch(url, { method: "POST" });
  if (status !== 200) throw new Error(`The button at ${url} does not work: ${status}.`);
}
