// Writing tools
export { tool } from "./definitions/tool.ts";
export type {
  Annotations,
  GivenInputOf,
  InputOf,
  OutputOf,
  Tool,
  ToolDefinition,
  WhenUnsupported,
} from "./definitions/tool.ts";
export { withName } from "./definitions/runnable.ts";
export type { Context, Runnable, RunnableDefinition, Trace } from "./definitions/runnable.ts";
export { parseArguments, prompt } from "./definitions/prompt.ts";
export type {
  ArgumentsOf,
  Complete,
  Prompt,
  PromptArgument,
  PromptDefinition,
  PromptMessage,
  PromptResult,
} from "./definitions/prompt.ts";
export { matchUri, resource } from "./definitions/resource.ts";
export type { Resource, ResourceDefinition, ResourceResult, Variables } from "./definitions/resource.ts";
export { ask, emit, roots, sample, step } from "./effect-builders.ts";
export type { FieldMap, FormAnswer, OptionalField } from "./asks/form.ts";
export type { Yieldable, AnswerOf } from "./asks/yieldable.ts";
export type { ChoicesLike, ValueIn } from "./asks/kinds/choice.ts";
export { logLevels } from "./effects.ts";
export type { SampleOptions } from "./effect-builders.ts";
export { hasGivenSecrets, Secret } from "./secrets.ts";
export type { Capability, Client } from "./client.ts";
export { milliseconds } from "./util/time.ts";
export type { Duration, Timeout } from "./util/time.ts";
export type { JsonSchema, Schema, SchemaLike, StandardSchema } from "./schema/schema.ts";
export type { Signal } from "./util/platform.ts";

// Asks
export type { Answers, Ask, AskKind } from "./asks/ask.ts";
export type { AskOptions, Fallback } from "./asks/ask-kind.ts";
export type { FormAsk } from "./asks/form.ts";
export type { FieldAsk, FormSchema } from "./asks/form-schema.ts";
export type { Choice, MultiselectAsk, SelectAsk } from "./asks/kinds/choice.ts";
export type { ConfirmAsk } from "./asks/kinds/confirm.ts";
export type { DateAsk } from "./asks/kinds/date.ts";
export type { FileAnswer, FileAsk } from "./asks/kinds/file.ts";
export type { NumberAsk } from "./asks/kinds/number.ts";
export type { RatingAsk, RatingMax, RatingValue } from "./asks/kinds/rating.ts";
export type { SecretAsk, TextAsk, TextFormat } from "./asks/kinds/text.ts";
export type { UrlAsk } from "./asks/kinds/url.ts";

// Effects
export type {
  Artifact,
  AskAll,
  AskEffect,
  AskOutcome,
  Body,
  Effect,
  Emit,
  Log,
  LogLevel,
  OnUnknownStep,
  OpenQuestion,
  Outcome,
  Progress,
  Question,
  RawEffect,
  Replies,
  Reply,
  Root,
  Roots,
  Round,
  Sample,
  SampleAnswer,
  SampleMessage,
  Status,
  Step,
  StepContext,
  StepEvent,
  Stream,
} from "./effects.ts";
export { parseContent } from "./content.ts";
export type {
  AudioContent,
  Content,
  ImageContent,
  LinkContent,
  ResourceContent,
  TextContent,
} from "./content.ts";
export { canonicalJson, omitUndefined } from "./util/json.ts";
export type { Json } from "./util/json.ts";

// Running tools
export { run, startRun } from "./runtime/run.ts";
export type { DetachOptions, Host, Run, RunCompleted, RunStep } from "./runtime/run.ts";
export type { RunOptions } from "./runtime/environment.ts";
export { interpret } from "./runtime/interpreter.ts";
export { diagnoseEffects } from "./unyielded-effects.ts";
export { parseInput } from "./definitions/tool.ts";
export { asPredicate, checkAnswer, readAnswer } from "./check-answer.ts";
export { askKinds, expectedAnswer } from "./asks/ask.ts";
export { outlineOf, suggestedFields } from "./asks/form.ts";
export { extraKeywords, fieldAsk, fieldKinds, fieldSchema } from "./asks/form-schema.ts";
export { isDangerous } from "./effects.ts";
export { choicesIn } from "./asks/kinds/choice.ts";
export { describeSize } from "./asks/kinds/file.ts";
export { numberFrom } from "./asks/kinds/number.ts";
export { ratingMaxOf } from "./asks/kinds/rating.ts";
export { yesOrNo } from "./asks/kinds/confirm.ts";
export { jsonFrom } from "./util/json.ts";
export type { Verdict } from "./schema/validator.ts";
export { errorResult, resultOf } from "./runtime/result.ts";
export type { Result } from "./runtime/result.ts";
export { roundAfterReply } from "./runtime/question-round.ts";
export { askNext, askWithDeadline, presetAnswers } from "./runtime/answerers.ts";
export type { Answerer, AskContext, AskHandler, AutoAnswer } from "./runtime/answerers.ts";
export { loadValidator } from "./schema/validator.ts";
export { systemClock } from "./util/time.ts";
export type { Clock } from "./util/time.ts";
export { replyEntry } from "./runtime/replies.ts";
export { memoryJournal } from "./runtime/journal.ts";
export type {
  ReplyEntry,
  RoundEntry,
  JournalEntry,
  StepFailure,
  Journal,
  SecretEntry,
  StartEntry,
  StepBegunEntry,
  StepEntry,
} from "./runtime/journal.ts";
export { SecretRedactor } from "./secrets.ts";

// Errors
export {
  AnswererFailed,
  AskCancelled,
  AskDeclined,
  AskError,
  AskTimedOut,
  AskUnsupported,
  InvalidReply,
  InvalidAsk,
  InvalidAnswer,
  InvalidDefinition,
  InvalidInput,
  InvalidOutput,
  ActiveTimeExceeded,
  MissingCapabilities,
  PhotonError,
  ReplayDiverged,
  RunBusy,
  RunCancelled,
  RunDetached,
  SecretInStep,
  StepFailed,
  StepNotJson,
  StepUnknown,
  ToolVersionChanged,
  UnknownEffect,
  UnyieldedEffect,
  UrlRequired,
} from "./errors.ts";
