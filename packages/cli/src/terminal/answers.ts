/**
 * Answers that no person types at a prompt, and `--record`, which writes such answers.
 *
 * The sources, in their order: the command line (`--answer id=value`, `--decline id`, `--cancel id`), a file
 * (`--answers`), the lines of a stdin that is not a terminal.
 *
 *   1. An answer is used once: the second answer with the same id is for the second attempt.
 *   2. A dangerous question is confirmed only by the word "yes" that names it on the command line.
 *   3. Without an answer, no default is used instead.
 *   4. After a refused answer, no other source is read: the next line of stdin belongs to another question.
 */
import { open, readFile } from "node:fs/promises";
import { resolve as resolvePath } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { InvalidAnswer, isDangerous, yesOrNo, type OpenQuestion, type Reply } from "@photon/core";
import { readProblem, UsageError } from "../errors.ts";
import type { Input } from "../io.ts";
import { isRecord } from "../unknown.ts";
import { parseReply, parseUrlReply } from "./parse-answer.ts";
import { cleanText } from "./text.ts";

/** `--answer id=value`, `--decline id` and `--cancel id` as they were typed. */
interface AnswerFlagTexts {
  readonly answer: readonly string[];
  readonly decline: readonly string[];
  readonly cancel: readonly string[];
}

/** The answers on the command line, by id. */
export interface AnswerFlagValues {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly actions: ReadonlyMap<string, "decline" | "cancel">;
}

interface AnswerSources {
  readonly flags: AnswerFlagValues;
  /** The path of the answers file, as it was typed. */
  readonly fileName?: string | undefined;
  /** The content of the answers file. */
  readonly file: { readonly [id: string]: unknown };
  /** The lines of stdin; undefined if it is not read. */
  readonly lines: LineReader | undefined;
  readonly cwd: string;
  /** Receives the problem of an answer that core cannot check. */
  readonly onProblem: (problem: string) => void;
}

/** The answer of a source to a question. */
type Found = Reply | "refused" | undefined;

export class Answers {
  readonly #sources: AnswerSources;
  readonly #unused: Set<string>;

  constructor(sources: AnswerSources) {
    this.#sources = sources;
    const { values, actions } = sources.flags;
    this.#unused = new Set([...values.keys(), ...actions.keys()]);
  }

  /** The ids on the command line that no question had. */
  get unused(): readonly string[] {
    return [...this.#unused];
  }

  /** The reply to a question, if a source has one. */
  async replyTo(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
    const given = await this.#fromCommandLine(question);
    if (given !== undefined) return given === "refused" ? undefined : given;
    const ofFile = await this.#fromFile(question);
    const reply = ofFile ?? (await this.#fromLines(question, signal));
    if (reply === undefined || reply === "refused") return undefined;
    if (!isYesToDanger(question, reply)) return reply;
    const { fileName = "--answers", onProblem } = this.#sources;
    const source = ofFile === undefined ? "stdin" : fileName;
    onProblem(
      `The answer to ${question.key} from ${source} is refused: a dangerous question takes a yes only from a person.`,
    );
    return undefined;
  }

  async #fromCommandLine(question: OpenQuestion): Promise<Found> {
    const { key, attempt } = question;
    const { flags } = this.#sources;
    const values = flags.values.get(key) ?? [];
    this.#unused.delete(key);
    const action = flags.actions.get(key);
    if (action !== undefined) return { action };
    const isSeveral = question.emit === "ask" && question.ask === "multiselect" && values.length > 1;
    if (isSeveral) return attempt === 1 ? this.#read(question, JSON.stringify(values)) : undefined;
    const value = values[attempt - 1];
    if (value === undefined) return undefined;
    const problem = dangerProblem(question, value);
    if (problem === undefined) return this.#read(question, value);
    this.#sources.onProblem(problem);
    return "refused";
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
      return parseUrlReply(question, value, this.#sources.onProblem);
    return { action: "accept", value };
  }

  async #fromLines(question: OpenQuestion, signal: AbortSignal): Promise<Found> {
    // The terminal itself answers the other requests.
    if (question.emit !== "ask") return undefined;
    const line = await this.#sources.lines?.next(signal);
    return line === undefined ? undefined : this.#read(question, line);
  }

  #read(question: OpenQuestion, text: string): Promise<Reply | "refused"> {
    return parseReply(question, text, this.#sources.cwd, this.#sources.onProblem);
  }
}

/** Throws if an answer has no id, or an id has more than one of the flags. */
export function parseAnswerFlags({ answer: answers, decline, cancel }: AnswerFlagTexts): AnswerFlagValues {
  const typed = new Map<string, string[]>();
  for (const answer of answers) {
    const at = answer.indexOf("=");
    if (at < 1) throw new UsageError(`--answer takes id=value, not ${JSON.stringify(answer)}.`);
    const id = answer.slice(0, at);
    typed.set(id, [...(typed.get(id) ?? []), answer.slice(at + 1)]);
  }
  const actions = new Map([
    ...decline.map((id) => [id, "decline"] as const),
    ...cancel.map((id) => [id, "cancel"] as const),
  ]);
  const twice = [...actions.keys()].find(
    (id) => typed.has(id) || (decline.includes(id) && cancel.includes(id)),
  );
  if (twice !== undefined)
    throw new UsageError(
      `${JSON.stringify(twice)} is given to more than one of --answer, --decline and --cancel; give it to one.`,
    );
  return { values: typed, actions };
}

/** The problem of a yes to a dangerous question that is not the word, as a prompt demands it: "y" may be a habit. */
function dangerProblem(question: OpenQuestion, text: string): string | undefined {
  if (question.emit !== "ask" || !isDangerous(question)) return undefined;
  if (yesOrNo(text) !== true || /^yes$/i.test(text.trim())) return undefined;
  return cleanText(
    new InvalidAnswer(
      question.key,
      question.message,
      'is dangerous: it must be the whole word "yes", or "no"',
    ).message,
  );
}

/** A yes to a dangerous question from a source that does not name it: a file, or a pipe such as `yes`. */
function isYesToDanger(question: OpenQuestion, reply: Reply): boolean {
  return isDangerous(question) && reply.action === "accept" && reply.value !== false;
}

/** Lines of an input that is not a terminal, one at a time. Nothing is read before the first call of `next`. */
export class LineReader {
  readonly #input: () => Input;
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;
  #waiting: Promise<IteratorResult<string>> | undefined;
  /** The last call of `next`: the next one waits for it, because a line belongs to one question. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(input: () => Input) {
    this.#input = input;
  }

  /** The next line; undefined if the input has ended. A line that arrives after the signal is kept for the next call. */
  next(signal: AbortSignal): Promise<string | undefined> {
    const line = this.#previous.then(() => this.#next(signal));
    this.#previous = line.catch(() => {});
    return line;
  }

  async #next(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    if (this.#lines === undefined) {
      this.#reader = createInterface({ input: this.#input(), crlfDelay: Number.POSITIVE_INFINITY });
      this.#lines = this.#reader[Symbol.asyncIterator]();
    }
    const waiting = (this.#waiting ??= this.#lines.next());
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const line = await Promise.race([waiting, aborted]);
    if (line === undefined) return undefined;
    this.#waiting = undefined;
    return line.done === true ? undefined : line.value;
  }

  /** Stops reading the input, so that the process can exit. */
  close(): void {
    this.#reader?.close();
  }
}

/** Reads an answers file: `{ "id": value }`, as `--record` or a person writes it. */
export async function readAnswersFile(
  path: string,
  cwd: string,
): Promise<{ readonly [id: string]: unknown }> {
  const text = await readFile(resolvePath(cwd, path), "utf8").catch((cause: unknown) => {
    throw new UsageError(`The answers in ${path} cannot be read: ${readProblem(cause)}.`, { cause });
  });
  let answers: unknown;
  try {
    answers = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is not JSON.`, { cause });
  }
  if (!isRecord(answers)) throw new UsageError(`${path} is not an object of answers by id: { "id": value }.`);
  return answers;
}

/**
 * The answers of a run, as a file for `--answers`.
 *
 * Several attempts are written as `$attempts`, a reply without an answer as `$action`. A secret is not written:
 * `$secret` stands for it.
 */
export class AnswerRecorder {
  readonly #attempts = new Map<string, unknown[]>();

  add(question: OpenQuestion, reply: Reply): void {
    const entry = entryOf(question, reply);
    if (entry === undefined) return;
    this.#attempts.set(question.key, [...(this.#attempts.get(question.key) ?? []), entry]);
  }

  get answers(): { readonly [id: string]: unknown } {
    return Object.fromEntries(
      Array.from(this.#attempts, ([key, attempts]) => [
        key,
        attempts.length === 1 ? attempts[0] : { $attempts: attempts },
      ]),
    );
  }

  /** Writes the file, which only its owner may read. */
  async save(path: string, cwd: string): Promise<void> {
    const text = `${JSON.stringify(this.answers, null, 2)}\n`;
    try {
      const file = await open(resolvePath(cwd, path), "w", 0o600);
      try {
        // An existing file may be readable for others. Not for a pipe or a device, which other programs use.
        if ((await file.stat()).isFile()) await file.chmod(0o600);
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new UsageError(`The answers cannot be written to ${path}.`, { cause: error });
    }
  }
}

function entryOf(question: OpenQuestion, reply: Reply): unknown {
  // The terminal itself answers these in every run.
  if (question.emit !== "ask" || reply.action === "unsupported") return undefined;
  if (reply.action !== "accept") return { $action: reply.action };
  if (question.ask === "secret") return { $secret: "not recorded" };
  if (question.ask === "url") return "done";
  if (question.ask === "file" && isRecord(reply.value)) return reply.value["path"];
  return reply.value;
}
