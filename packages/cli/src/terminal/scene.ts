import type * as clack from "@clack/prompts";
import { cleanText } from "./clean-text.ts";
import type { Terminal } from "./terminal.ts";

/** clack, which is loaded with the first prompt. */
type Clack = typeof clack;

/** Where a prompt is shown, and until when its answer is wanted. */
export interface Scene {
  readonly clack: Clack;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** What is wrong with an answer, as a sentence; nothing where it fits. */
export type Check = (value: unknown) => Promise<string | undefined>;

/** A problem as core puts it ("must be at most 30"), as a sentence of its own. */
export function sentenceOf(problem: string): string {
  // It may quote a schema of a server's.
  const words = cleanText(problem);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
