// Writing tools
export { tool } from "./definitions/tool.ts";
export type { Annotations, InputOf, Tool, ToolDefinition, WhenUnsupported } from "./definitions/tool.ts";
export { withName } from "./definitions/definition.ts";
export type { Context, Runnable, RunnableDefinition, Trace } from "./definitions/definition.ts";
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
export { ask } from "./asks/builders.ts";
export type { FieldMap, FormAnswer, OptionalField } from "./asks/kinds/form.ts";
export type { Yieldable, AnswerOf } from "./asks/yieldable.ts";
export type { ChoicesLike, ValueIn } from "./asks/kinds/choice.ts";
export { emit, roots, sample, step } from "./effect-builders.ts";
export { logLevels } from "./effects.ts";
export type { SampleOptions } from "./effect-builders.ts";
export { hasGivenSecrets, Secret } from "./secrets.ts";
export type { Capability, Client } from "./client.ts";
export { milliseconds } from "./util/time.ts";
export type { Duration, Timeout } from "./util/time.ts";
export type { JsonSchema, Schema, SchemaLike } from "./schema/json-schema.ts";
export type { StandardSchema } from "./schema/standard-schema.ts";
export type { Signal } from "./util/platform.ts";

// Effects
export type {
  Answers,
  Ask,
  AskKind,
  AskOptions,
  Choice,
  ConfirmAsk,
  DateAsk,
  Fallback,
  FieldAsk,
  FileAnswer,
  FileAsk,
  FormAsk,
  FormSchema,
  MultiselectAsk,
  NumberAsk,
  RatingAsk,
  RatingMax,
  RatingValue,
  SecretAsk,
  SelectAsk,
  TextAsk,
  TextFormat,
  UrlAsk,
} from "./ask-types.ts";
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
export { canonicalJson } from "./util/json.ts";
export type { Json } from "./util/json.ts";

// Running tools
export { run, startRun } from "./runtime/run.ts";
export type { DetachOptions, Host, Run, RunCompleted, RunStep } from "./runtime/run.ts";
export type { RunEnvironment, RunOptions } from "./runtime/environment.ts";
export { interpret } from "./runtime/interpreter.ts";
export { diagnoseEffects } from "./unyielded-effects.ts";
export { parseInput } from "./definitions/definition.ts";
export { asPredicate, checkAnswer, readAnswer } from "./asks/answers.ts";
export { fieldSchema, outlineOf } from "./asks/kinds/form.ts";
export { dayFrom } from "./asks/kinds/date.ts";
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
