export { script } from "./script.ts";
export type { ScriptHost, ScriptOptions } from "./script.ts";
export { Unscripted } from "./scripted-answers.ts";
export type { ScriptedAnswers } from "./scripted-answers.ts";
export {
  acceptEmpty,
  cancel,
  decline,
  sequence,
  later,
  never,
  timeout,
  unsupported,
} from "./scripted-answers.ts";
export type { Scripted, ScriptedAnswer } from "./scripted-answers.ts";
export { testClock } from "./test-clock.ts";
export type { TestClock } from "./test-clock.ts";
export { everyBranch } from "./explore.ts";
export type { Alternatives, Branch } from "./explore.ts";
export { restartEverywhere } from "./explore.ts";
export type { RestartReport, RestartScript } from "./explore.ts";
export type { TranscriptEntry } from "./script.ts";
