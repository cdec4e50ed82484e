/**
 * The questions of a server: translated to questions of Photon, answered, and translated back.
 *
 *   1. One question at a time, in the order in which they arrive.
 *   2. An answer is checked before it is sent. If it does not fit, the question is asked again, of the answers that name
 *      it and of the person. A line of stdin answers one question only.
 *   3. A question without an answer is cancelled.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  ClientCapabilities,
  ElicitRequestParams,
  ElicitResult,
  JSONRPCMessage,
  Client,
} from "@modelcontextprotocol/client";
import {
  extraKeywords,
  fieldAsk,
  type Ask,
  type FormSchema,
  type JsonSchema,
  asPredicate,
  checkAnswer,
  InvalidAnswer,
} from "@photon/core";
import type { CallOptions } from "./call-flags.ts";
import { answerQuestion, type TerminalHost } from "../run/terminal-host.ts";
import type { Answers } from "../terminal/answers.ts";
import { isRecord } from "../unknown.ts";

/*
 * A Photon server sends details of a question beyond MCP: that a yes is dangerous, what was wrong with the last answer,
 * bounds and patterns for which forms of MCP have no keywords. The client declares `photon/questions` for them. On a
 * session the details are in the `_meta` of each request. In 2026-07-28 they are in that of the result, which the SDK
 * drops: `withDetailsInRequests` moves them into the requests first.
 */
const QUESTIONS = "photon/questions";
const QUESTION = "photon/question";
/**
 * In the `_meta` of a decline or cancel that the user gave beforehand: a server does not take it for a client that shows nothing.
 * In 2026-07-28 the SDK drops it: `withBeforehand` adds it again.
 */
const BEFOREHAND = "photon/beforehand";

/** The capability, for servers with sessions (`experimental`) and of 2026-07-28 (`extensions`). */
const detailsCapability: ClientCapabilities = {
  experimental: { [QUESTIONS]: {} },
  extensions: { [QUESTIONS]: {} },
};

export interface QuestionDetails {
  readonly isDangerous: boolean;
  readonly hint?: string;
  /** The tool's description. In the form, the server appends the bounds to it. */
  readonly description?: string;
  /** By field, as JSON Schema. */
  readonly bounds?: Readonly<Record<string, unknown>>;
}

/** The details in the `_meta` of a request; only Photon's servers send them. */
function parseDetails(meta: unknown): QuestionDetails | undefined {
  const details = isRecord(meta) ? meta[QUESTION] : undefined;
  if (!isRecord(details)) return undefined;
  const { dangerous, hint, description, bounds } = details;
  return {
    isDangerous: dangerous === true,
    ...(typeof hint === "string" ? { hint } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(isRecord(bounds) ? { bounds } : {}),
  };
}

/** The message with the details of its questions moved into the questions. */
export function withDetailsInRequests(message: JSONRPCMessage): JSONRPCMessage {
  if (!("result" in message)) return message;
  const { _meta: meta, inputRequests: requests } = message.result;
  const details = isRecord(meta) ? meta[QUESTIONS] : undefined;
  if (!isRecord(details) || !isRecord(requests)) return message;
  const detailed = Object.entries(requests).map(([key, request]) => {
    const params = isRecord(request) && isRecord(request["params"]) ? request["params"] : undefined;
    if (!isRecord(request) || params === undefined || !Object.hasOwn(details, key)) return [key, request];
    const own = isRecord(params["_meta"]) ? params["_meta"] : {};
    return [key, { ...request, params: { ...params, _meta: { ...own, [QUESTION]: details[key] } } }];
  });
  return { ...message, result: { ...message.result, inputRequests: Object.fromEntries(detailed) } };
}

/** The name of the field in a form of one field. */
const VALUE = "value";

/** The keywords of a field that the terminal checks. The server checks the others. */
const KEYWORDS: ReadonlySet<string> = new Set(
  "type title description default enum enumNames oneOf anyOf items minLength maxLength minimum maximum minItems maxItems".split(
    " ",
  ),
);
const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** A question of a server; `hint` is what was wrong with the last answer. */
export type RemoteAsk = Ask & { readonly hint?: string };

export function questionOf(params: ElicitRequestParams, details?: QuestionDetails): RemoteAsk {
  const { isDangerous = false, hint } = details ?? {};
  const question = askFrom(params, details);
  return {
    ...question,
    ...(isDangerous && question.ask === "confirm" ? { dangerous: true } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

function askFrom(params: ElicitRequestParams, details?: QuestionDetails): Ask {
  const { message } = params;
  if (params.mode === "url") return { emit: "ask", ask: "url", message, url: params.url };
  const schema = formIn(params.requestedSchema, details?.bounds);
  const value = schema.properties[VALUE];
  const isSingle = Object.keys(schema.properties).length === 1;
  if (value === undefined || !isSingle || !isAnswered(value, schema))
    return { emit: "ask", ask: "form", message, schema };
  const { title, ...field } = value;
  // A label that repeats the question adds nothing.
  const label = typeof title === "string" && title !== message ? title : undefined;
  const about = details === undefined ? field["description"] : details.description;
  const description = [label, about].filter(Boolean).join(": ");
  return { ...fieldAsk(VALUE, field), message, ...(description === "" ? {} : { description }) };
}

/** Whether a field always has an answer: it is required, or a list of choices that may be empty. */
const isAnswered = (field: JsonSchema, { required = [] }: FormSchema): boolean =>
  required.includes(VALUE) || (field.type === "array" && !(Number(field["minItems"]) > 0));

function formIn(
  schema: { readonly properties: object; readonly required?: readonly string[] | undefined },
  bounds: QuestionDetails["bounds"] = {},
): FormSchema {
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    { ...fieldIn(field), ...(Object.hasOwn(bounds, name) ? boundsIn(bounds[name]) : {}) },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(fields) as FormSchema["properties"],
    ...(schema.required === undefined ? {} : { required: schema.required }),
  };
}

function fieldIn(field: unknown): JsonSchema {
  if (!isRecord(field)) return {};
  const known = Object.entries(field).filter(
    ([keyword, value]) => KEYWORDS.has(keyword) || (keyword === "format" && FORMATS.has(value)),
  );
  return Object.fromEntries(known);
}

/** The keywords that a Photon server sends in `bounds`. Others, and values that are not valid, are ignored. */
function boundsIn(bounds: unknown): JsonSchema {
  if (!isRecord(bounds)) return {};
  return Object.fromEntries(
    Object.entries(bounds).filter(
      ([keyword, value]) => Object.hasOwn(extraKeywords, keyword) && extraKeywords[keyword]?.(value) === true,
    ),
  );
}

/** The result for an answer that was checked. */
export function formatElicitResult(question: Ask, value: unknown): ElicitResult {
  if (question.ask === "url") return { action: "accept" };
  if (question.ask !== "form") return { action: "accept", content: contentOf({ [VALUE]: value }) };
  const fields = isRecord(value) ? value : {};
  const known = Object.keys(question.schema.properties).filter((name) => fields[name] !== undefined);
  return {
    action: "accept",
    content: contentOf(Object.fromEntries(known.map((name) => [name, fields[name]]))),
  };
}

/** The values have passed the schema of the form: texts, numbers, booleans, and lists of texts. */
const contentOf = (fields: object): NonNullable<ElicitResult["content"]> => ({ ...fields });

/** A terminal has no model. The client itself refuses requests that need a capability which is not declared. */
export const capabilitiesFor = ({ root }: Pick<CallOptions, "root">): ClientCapabilities => ({
  ...detailsCapability,
  elicitation: { form: {}, url: {} },
  ...(root ? { roots: {} } : {}),
});

interface HandlerOptions {
  readonly handler: ElicitationHandler;
  readonly options: Pick<CallOptions, "root">;
  readonly cwd: string;
}

export function handleRequests(client: Client, { handler, options, cwd }: HandlerOptions): void {
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { id, signal, _meta: meta } }) =>
    handler.answer(params, {
      id,
      signal,
      isStateless: client.getProtocolEra() === "modern",
      details: parseDetails(meta),
    }),
  );
  if (options.root)
    client.setRequestHandler("roots/list", () => ({
      roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
    }));
}

interface ElicitationOptions {
  readonly host: TerminalHost;
  /** The answers that name their question. */
  readonly named: Answers;
  /** Called before and after each question. */
  readonly onAsking: (isAsking: boolean) => void;
}

interface ElicitationRequest {
  readonly id?: string | number;
  readonly isStateless: boolean;
  readonly signal: AbortSignal;
  /** What the server sends about the question beyond MCP. */
  readonly details?: QuestionDetails | undefined;
}

export class ElicitationHandler {
  readonly #options: ElicitationOptions;
  readonly #keys = new QuestionKeys();
  #previous: Promise<unknown> = Promise.resolve();
  /** The ids of the questions whose last reply was given beforehand. */
  readonly #beforehand = new Set<string>();

  constructor(options: ElicitationOptions) {
    this.#options = options;
  }

  /** Whether ctrl+c has cancelled one of the questions. */
  get hasCancelled(): boolean {
    return this.#keys.all.some((key) => this.#options.host.signals.hasCancelled(key));
  }

  /** `id` is that of the request, or in 2026-07-28 that of the question. */
  answer(
    params: ElicitRequestParams,
    { id, isStateless, signal, details }: ElicitationRequest,
  ): Promise<ElicitResult> {
    const key = this.#keys.keyOf(id, isStateless);
    const result = this.#previous.then(() => this.#answer(questionOf(params, details), key, signal));
    this.#previous = result.catch(() => {});
    return result;
  }

  /** A request of 2026-07-28 with `photon/beforehand` in its replies. */
  withBeforehand(message: JSONRPCMessage): JSONRPCMessage {
    if (this.#beforehand.size === 0 || !("method" in message) || message.params === undefined) return message;
    const { inputResponses: responses } = message.params;
    if (!isRecord(responses)) return message;
    const marked = Object.entries(responses).map(([key, response]) => [
      key,
      isRecord(response) && this.#beforehand.has(key)
        ? { ...response, _meta: { [BEFOREHAND]: true } }
        : response,
    ]);
    return { ...message, params: { ...message.params, inputResponses: Object.fromEntries(marked) } };
  }

  async #answer(question: RemoteAsk, key: string, signal: AbortSignal): Promise<ElicitResult> {
    const { host, named, onAsking } = this.#options;
    onAsking(true);
    this.#beforehand.delete(key);
    try {
      let { reply, isPrompted } = await this.#ask(question, key, signal, host);
      for (;;) {
        if (reply.action !== "accept") {
          const action = reply.action === "decline" ? "decline" : "cancel";
          if (isPrompted) return { action };
          this.#beforehand.add(key);
          return { action, _meta: { [BEFOREHAND]: true } };
        }
        const verdict = await checkAnswer(question, reply.value);
        if ("value" in verdict) return formatElicitResult(question, reply.value);
        const problem = asPredicate(question, verdict.problem);
        host.emits.print(new InvalidAnswer(key, question.message, problem).message, "yellow");
        ({ reply, isPrompted } = await this.#ask(question, key, signal, { ...host, answers: named }));
      }
    } finally {
      onAsking(false);
    }
  }

  async #ask(
    question: RemoteAsk,
    key: string,
    signal: AbortSignal,
    host: TerminalHost,
  ): ReturnType<typeof answerQuestion> {
    if (signal.aborted) return { reply: { action: "cancel" }, isPrompted: false };
    const open = { ...question, key, attempt: this.#keys.nextAttempt(key) };
    return answerQuestion(open, signal, host);
  }
}

/**
 * The ids of a call's questions, which `--answer` names.
 *
 * In 2026-07-28 every question has one. On a session Photon's servers put it into the id of their request
 * (`run:key:attempt`); the questions of other servers are numbered.
 */
export class QuestionKeys {
  #count = 0;
  readonly #attempts = new Map<string, number>();

  keyOf(id: string | number | undefined, isStateless: boolean): string {
    this.#count += 1;
    if (isStateless && id !== undefined) return String(id);
    const [, key] = /^[\da-f]{8}-[\da-f-]{27}:(.+):\d+$/.exec(String(id)) ?? [];
    return key ?? `ask-${this.#count}`;
  }

  /** Counts an attempt at a question, and returns its number. */
  nextAttempt(key: string): number {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    return attempt;
  }

  get all(): readonly string[] {
    return [...this.#attempts.keys()];
  }
}
