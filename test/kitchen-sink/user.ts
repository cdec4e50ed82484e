/** Users of a client: they answer its questions, and open the URLs that it is asked to open. */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { SdkV1Client } from "../clients/sdk-v1-client.ts";
import type { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { fillInPage } from "./fill-in-page.ts";
import { pressButton, turnOf } from "./run-in-test-kit.ts";
import type { Scenario } from "./scenario.ts";
import type { ToolResult } from "./tool-result.ts";

type Params = ElicitRequest["params"];

export interface User {
  answer(key: string, params: Params): Promise<ElicitResult>;
  readonly roots: { uri: string; name?: string }[];
  /** The response of the model. */
  readonly model: string;
}

/** Calls a tool with a client whose user this is. */
export async function callAs(
  user: User,
  client: SdkV1Client | SdkV2Client,
  tool: string,
  input: Readonly<Record<string, unknown>> = {},
  onStatus?: (message: string) => void,
): Promise<ToolResult> {
  client.answer = ({ key, params }) => user.answer(key, params);
  client.sample = () => ({ role: "assistant", content: { type: "text", text: user.model }, model: "test" });
  client.roots = user.roots;
  const { content, structured, isError } = await client.call(
    tool,
    input,
    onStatus && {
      onprogress({ message }) {
        if (message !== undefined) onStatus(message);
      },
    },
  );
  return {
    content: content.map((block) => ({ ...block })),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

/** Answers as a scenario says. */
export class ScenarioUser implements User {
  readonly #scenario: Scenario;
  readonly #untilTimeout: (key: string) => Promise<void>;
  readonly #attempts = new Map<string, number>();

  /** `untilTimeout` resolves when a question has timed out that the scenario does not answer. */
  constructor(
    scenario: Scenario,
    untilTimeout: (key: string) => Promise<void> = (key) =>
      Promise.reject(new Error(`${key} would not time out.`)),
  ) {
    this.#scenario = scenario;
    this.#untilTimeout = untilTimeout;
  }

  get roots(): { uri: string; name?: string }[] {
    return [...(this.#scenario.roots ?? [])];
  }

  get model(): string {
    return this.#scenario.model ?? "";
  }

  async answer(key: string, params: Params): Promise<ElicitResult> {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    const answer = turnOf(this.#scenario.answers?.[key], attempt);
    if (answer === undefined) throw new Error(`The scenario has no answer to ${key}: ${params.message}`);
    const action = isRecord(answer) ? answer["$action"] : undefined;
    if (action === "decline" || action === "cancel") return { action };
    if (action === "timeout") {
      await this.#untilTimeout(key);
      // Too late.
      return { action: "cancel" };
    }
    return accepted(params, answer);
  }
}

/** Gives one answer after another: plain values, or `{ action }` for a non-answer. */
export function userWithAnswers(answers: readonly unknown[]): User {
  const left = [...answers];
  return {
    roots: [],
    model: "",
    async answer(_, params) {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`There is no answer left for ${params.message}`);
      const action = isRecord(answer) ? answer["action"] : undefined;
      return action === "decline" || action === "cancel" ? { action } : accepted(params, answer);
    },
  };
}

async function accepted(params: Params, answer: unknown): Promise<ElicitResult> {
  if (params.mode === "url") {
    await (answer === "done" ? pressButton(params.url) : fillInPage(params.url, answer));
    return { action: "accept" };
  }
  const names = Object.keys(params.requestedSchema.properties);
  const content = names.join() === "value" ? { value: answer } : answer;
  // The server checks the answers of the scenarios.
  return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
