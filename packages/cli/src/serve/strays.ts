/** What tools leave behind: errors that nobody waits for. */
import { hasGivenSecrets } from "@photon/core";
import type { Ending } from "./ending.ts";

/**
 * A promise that nobody waits for fails alone: it is reported, and the others are served on. What was thrown where
 * nobody could catch it may have left anything half done: the server closes, exit code 1. What is given back ends it.
 */
export function hearStrays(report: (error: unknown) => void, ending: Ending): () => void {
  const rejected = (reason: unknown): void => {
    report(hasGivenSecrets() ? new Unshown("A promise that nothing awaits was rejected", reason) : reason);
  };
  const thrown = (error: unknown): void => {
    report(hasGivenSecrets() ? new Unshown("An error was thrown where nothing catches it", error) : error);
    ending.end(1);
  };
  process.on("unhandledRejection", rejected);
  process.on("uncaughtException", thrown);
  return () => {
    process.off("unhandledRejection", rejected);
    process.off("uncaughtException", thrown);
  };
}

/**
 * Stands for an error that may contain a secret. It belongs to no run, so it is not known which secrets to look for: nothing
 * of it is shown but where it was made.
 */
class Unshown extends Error {
  constructor(what: string, thrown: unknown) {
    super(`${what}. Its message is not shown, because tools of this server were given secrets.`);
    this.name = "Error";
    this.stack = `Error: ${this.message}${framesOf(thrown)}`;
  }
}

/** The lines of a stack below the message. */
function framesOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return "";
    const { message, stack = "" } = thrown;
    const below = stack.slice(stack.indexOf(message) + message.length);
    return stack.includes(message) && below.startsWith("\n    at ") ? below : "";
  } catch {
    return "";
  }
}
