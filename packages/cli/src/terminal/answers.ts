/**
 * Answers that need nobody at the keyboard.
 *
 * First those of the command line (`--answer id=value`, `--decline id`, `--cancel id`), then those of a file
 * (`--answers`), then the lines of a stdin that is no terminal.
 *
 *   1. An answer is given once: the second of the same id answers the second attempt.
 *   2. What is dangerous is confirmed only by an answer that names it on the command line.
 *   3. Where there is none, there is none: no default is taken in its place.
 *   4. A refused answer does not count, and no other source is read: the next line of stdin belongs to another question.
 */
import { isDangerous, type OpenQuestion, type Reply } from "@photon/core";
import { UsageError } from "../errors.ts";
import { isRecord } from "./is-record.ts";
import type { LineReader } from "./line-reader.ts";
import { replyFrom, visitFrom } from "./read-answer.ts";

export interface AnswerSources {
  /** `id=value`, as typed. */
  readonly answers: readonly string[];
  /** The ids of questions that are declined, and of those that are cancelled. */
  readonly decline: readonly string[];
  readonly cancel: readonly string[];
  /** What is in the answers file. */
  readonly file: { readonly [id: string]: unknown };
  /** The lines of stdin; nothing where they are not to be read. */
  readonly lines: LineReader | undefined;
  readonly cwd: string;
  /** Hears what is wrong with an answer that core cannot look at. */
  readonly tell: (problem: string) => void;
}

/** What a source has for a question. */
type Found = Reply | "refused" | undefined;

export class Answers {
  readonly #sources: AnswerSources;
  readonly #typed: ReadonlyMap<string, readonly string[]>;
  readonly #refused: ReadonlyMap<string, "decline" | "cancel">;
  readonly #unused: Set<string>;

  constructor(sources: AnswerSources) {
    this.#sources = sources;
    this.#typed = readTyped(sources.answers);
    this.#refused = refusedIds(sources, this.#typed);
    this.#unused = new Set([...this.#typed.keys(), ...this.#refused.keys()]);
  }

  /** The ids that were given on the command line and never asked. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }

  /** The reply to a question, if there is one. */
  async replyTo(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
    const typed = await this.#fromCommandLine(question);
    if (typed !== undefined) return typed === "refused" ? undefined : typed;
    const reply = (await this.#fromFile(question)) ?? (await this.#fromLines(question, signal));
    return reply === undefined || reply === "refused" || isYesToDanger(question, reply) ? undefined : reply;
  }

  async #fromCommandLine(question: OpenQuestion): Promise<Found> {
    const { key, attempt } = question;
    const values = this.#typed.get(key) ?? [];
    this.#unused.delete(key);
    const action = this.#refused.get(key);
    if (action !== undefined) return { action };
    const isSeveral = question.emit === "ask" && question.ask === "multiselect" && values.length > 1;
    if (isSeveral) return attempt === 1 ? this.#read(question, JSON.stringify(values)) : undefined;
    const value = values[attempt - 1];
    return value === undefined ? undefined : this.#read(question, value);
  }

  async #fromFile(question: OpenQuestion): Promise<Found> {
    const { key, attempt } = question;
    const given = Object.hasOwn(this.#sources.file, key) ? this.#sources.file[key] : undefined;
    const attempts: readonly unknown[] =
      isRecord(given) && Array.isArray(given["$attempts"]) ? given["$attempts"] : [given];
    const value = attempts[attempt - 1];
    if (value === undefined) return undefined;
    if (typeof value === "string") return this.#read(question, value);
    if (isRecord(value) && "$secret" in value) return undefined;
    const action = isRecord(value) ? value["$action"] : undefined;
    if (action === "decline" || action === "cancel" || action === "timeout") return { action };
    const isPath = question.emit === "ask" && question.ask === "file" && isRecord(value);
    if (isPath && typeof value["path"] === "string") return this.#read(question, value["path"]);
    if (question.emit === "ask" && question.ask === "url")
      return visitFrom(question, value, this.#sources.tell);
    return { action: "accept", value };
  }

  async #fromLines(question: OpenQuestion, signal: AbortSignal): Promise<Found> {
    // The others are answered by the terminal itself, and no person has written a line for them.
    if (question.emit !== "ask") return undefined;
    const line = await this.#sources.lines?.next(signal);
    return line === undefined ? undefined : this.#read(question, line);
  }

  #read(question: OpenQuestion, text: string): Promise<Reply | "refused"> {
    return replyFrom(question, text, this.#sources.cwd, this.#sources.tell);
  }
}

function readTyped(answers: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const typed = new Map<string, string[]>();
  for (const answer of answers) {
    const at = answer.indexOf("=");
    if (at < 1) throw new UsageError(`--answer takes id=value, not ${JSON.stringify(answer)}.`);
    const id = answer.slice(0, at);
    typed.set(id, [...(typed.get(id) ?? []), answer.slice(at + 1)]);
  }
  return typed;
}

/** What `--decline` and `--cancel` say, by id. Throws if an id is given for more than one end. */
function refusedIds(
  { decline, cancel }: Pick<AnswerSources, "decline" | "cancel">,
  answered: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, "decline" | "cancel"> {
  const refused = new Map([
    ...decline.map((id) => [id, "decline"] as const),
    ...cancel.map((id) => [id, "cancel"] as const),
  ]);
  const twice = [...refused.keys()].find(
    (id) => answered.has(id) || (decline.includes(id) && cancel.includes(id)),
  );
  if (twice !== undefined)
    throw new UsageError(
      `${JSON.stringify(twice)} is given to more than one of --answer, --decline and --cancel; give it to one.`,
    );
  return refused;
}

/** Yes to something dangerous, from where nobody named it: a file, or a pipe that says yes to everything. */
function isYesToDanger(question: OpenQuestion, reply: Reply): boolean {
  return isDangerous(question) && reply.action === "accept" && reply.value !== false;
}
