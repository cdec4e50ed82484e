/** What tools leave behind: errors that nobody waits for. */
import type { Ending } from "./ending.ts";

/**
 * A promise that nobody waits for fails alone: it is reported, and the others are served on. What was thrown where
 * nobody could catch it may have left anything half done: the server closes, exit code 1. What is given back ends it.
 */
export function hearStrays(report: (error: unknown) => void, ending: Ending): () => void {
  const thrown = (error: Error): void => {
    report(error);
    ending.end(1);
  };
  process.on("unhandledRejection", report);
  process.on("uncaughtException", thrown);
  return () => {
    process.off("unhandledRejection", report);
    process.off("uncaughtException", thrown);
  };
}
