/**
 * Somebody at a client.
 *
 * A performer says what a performance says. Where the client is asked to open a web address, they go there: they press the button of a page that has one, and fill
 * in a page of Photon's own.
 */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { Performance } from "./performance.ts";
import { pressButton, turnOf } from "./rehearse.ts";
import { fillInPage } from "./fill-in-page.ts";

type Params = ElicitRequest["params"];

export interface Person {
  /** Answers a question, known by its key. */
  answer(key: string, params: Params): Promise<ElicitResult>;
  /** Where the client works. */
  readonly roots: { uri: string; name?: string }[];
  /** What the client's model says. */
  readonly draft: string;
}

/** What passes while somebody does not answer. */
export type LetTimePass = (key: string) => Promise<void>;

export class Performer implements Person {
  readonly #performance: Performance;
  readonly #letTimePass: LetTimePass;
  readonly #attempts = new Map<string, number>();

  constructor(
    performance: Performance,
    letTimePass: LetTimePass = (key) => Promise.reject(new Error(`Nobody lets time pass at ${key}.`)),
  ) {
    this.#performance = performance;
    this.#letTimePass = letTimePass;
  }

  get roots(): { uri: string; name?: string }[] {
    return [...(this.#performance.roots ?? [])];
  }

  get draft(): string {
    return this.#performance.model ?? "";
  }

  async answer(key: string, params: Params): Promise<ElicitResult> {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    const answer = turnOf(this.#performance.answers?.[key], attempt);
    if (answer === undefined) throw new Error(`Nobody knows what to say to ${key}: ${params.message}`);
    const action = isRecord(answer) ? answer["$action"] : undefined;
    if (action === "decline" || action === "cancel") return { action };
    if (action === "timeout") {
      await this.#letTimePass(key);
      // Too late.
      return { action: "cancel" };
    }
    return accepted(params, answer);
  }
}

/** Somebody who says one thing after another: plain answers, or `{ action }` for what is none. */
export function speaker(answers: readonly unknown[]): Person {
  const left = [...answers];
  return {
    roots: [],
    draft: "",
    async answer(_, params) {
      const answer = left.shift();
      if (answer === undefined) throw new Error(`Nobody expects to be asked ${params.message}`);
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
  // As the performances have it; the server says where it does not fit.
  return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
