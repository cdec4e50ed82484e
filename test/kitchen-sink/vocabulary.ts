/**
 * Everything core lets an author say, word by word.
 *
 * Each list is a record over one of core's own types: a word that is added there, and not here, does not compile; and a
 * word that is here must be shown by the kitchen sink.
 */
import type {
  Annotations,
  Ask,
  AskKind,
  AskOptions,
  Choice,
  Content,
  Effect,
  Emit,
  Fallback,
  LogLevel,
  Outcome,
  Result,
  Roots,
  Sample,
  SchemaLike,
  Step,
  TextFormat,
  ToolDefinition,
} from "@photon/core";

type Every<Word extends PropertyKey> = { readonly [One in Word]: true };

/** What a kind of question may say beyond what every question may. */
type OwnOption<Kind extends AskKind> = Exclude<
  keyof Extract<Ask, { ask: Kind }>,
  "emit" | "ask" | "message" | keyof AskOptions<unknown>
>;

const askOptions: { readonly [Kind in AskKind]: Every<OwnOption<Kind>> } = {
  text: { minLength: true, maxLength: true, pattern: true, patternMessage: true, format: true },
  number: { min: true, max: true, integer: true },
  rating: { max: true },
  confirm: { dangerous: true },
  select: { options: true },
  multiselect: { options: true, min: true, max: true },
  date: { time: true, min: true, max: true },
  secret: { minLength: true, maxLength: true },
  file: { accept: true, maxBytes: true },
  form: { schema: true },
  url: { url: true },
};

/** What one of several to choose from may say of itself. */
const choices: Every<keyof Choice> = { value: true, title: true, description: true };

const everyOption: Every<keyof AskOptions<unknown>> = {
  id: true,
  label: true,
  description: true,
  default: true,
  timeout: true,
  retries: true,
  fallback: true,
};

const fallbacks: Every<keyof Fallback<unknown>> = {
  decline: true,
  cancel: true,
  timeout: true,
  unsupported: true,
};

const formats: Every<TextFormat> = { email: true, uri: true, date: true, "date-time": true };

/** The ways to ask that hold other questions; and what a field of a form is made of that may be left empty. */
const together: Every<Exclude<Extract<Effect, { emit: "ask" }>["ask"], AskKind> | "optional"> = {
  all: true,
  outcome: true,
  optional: true,
};

const outcomes: Every<Outcome<unknown>["action"]> = {
  accept: true,
  decline: true,
  cancel: true,
  timeout: true,
  unsupported: true,
  invalid: true,
};

const sampleOptions: Every<Exclude<keyof Sample, "emit">> = {
  id: true,
  messages: true,
  maxTokens: true,
  systemPrompt: true,
  temperature: true,
  stopSequences: true,
  modelPreferences: true,
  timeout: true,
  fallback: true,
};

const rootsOptions: Every<Exclude<keyof Roots, "emit">> = { id: true, timeout: true, fallback: true };

const emits: {
  readonly [Kind in Emit["emit"]]: Every<Exclude<keyof Extract<Emit, { emit: Kind }>, "emit">>;
} = {
  status: { message: true },
  progress: { value: true, message: true },
  log: { level: true, data: true },
  artifact: { content: true },
  stream: { text: true },
};

/** Everything else that can be yielded. */
const others: Every<Exclude<Effect["emit"], Emit["emit"] | "ask">> = {
  step: true,
  sample: true,
  roots: true,
};

const levels: Every<LogLevel> = {
  debug: true,
  info: true,
  notice: true,
  warning: true,
  error: true,
  critical: true,
  alert: true,
  emergency: true,
};

const steps: Every<Step["step"]> = { call: true, now: true, random: true, uuid: true };

const stepOptions: Every<Exclude<keyof Extract<Step, { step: "call" }>, "emit" | "step">> = {
  name: true,
  run: true,
  onUnknown: true,
};

const contents: Every<Content["type"]> = { text: true, image: true, audio: true, resource: true, link: true };

const results: Every<Exclude<keyof Result, "content">> = { structured: true, isError: true };

const tools: Every<keyof ToolDefinition<SchemaLike, unknown>> = {
  name: true,
  title: true,
  description: true,
  input: true,
  output: true,
  annotations: true,
  whenUnsupported: true,
  version: true,
  durable: true,
  limit: true,
  needs: true,
  run: true,
};

const annotations: Every<Exclude<keyof Annotations, "title">> = {
  readOnlyHint: true,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};

const words = (before: string, after: object): readonly string[] =>
  Object.keys(after).map((word) => before + word);

/** Every word, in the order in which they are listed. */
export const vocabulary: readonly string[] = [
  ...Object.entries(askOptions).flatMap(([kind, options]) => [
    `ask.${kind}`,
    ...words(`ask.${kind}: `, options),
  ]),
  ...words("ask.", together),
  ...words("choice: ", choices),
  ...words("every ask: ", everyOption),
  ...words("fallback: ", fallbacks),
  ...words("format: ", formats),
  ...words("outcome: ", outcomes),
  ...Object.entries(emits).flatMap(([kind, fields]) => [`emit.${kind}`, ...words(`emit.${kind}: `, fields)]),
  ...words("artifact: ", contents),
  ...words("log level: ", levels),
  ...words("", others),
  ...words("step: ", { ...steps, ...stepOptions }),
  ...words("sample: ", sampleOptions),
  ...words("roots: ", rootsOptions),
  ...words("result: ", { ...contents, ...results, nothing: true }),
  ...words("tool: ", tools),
  ...words("annotation: ", annotations),
];
