export { script, testClock } from "./script.ts";
export type { ScriptHost, ScriptOptions, TestClock, TranscriptEntry } from "./script.ts";
export {
  Unscripted,
  acceptEmpty,
  cancel,
  decline,
  sequence,
  later,
  never,
  timeout,
  unsupported,
} from "./scripted-answers.ts";
export type { Scripted, ScriptedAnswer, ScriptedAnswers } from "./scripted-answers.ts";
export { everyBranch, restartEverywhere } from "./explore.ts";
export type { Alternatives, Branch, RestartReport, RestartScript } from "./explore.ts";
export type { InputArgument, ToolUnderTest } from "./tool-under-test.ts";
