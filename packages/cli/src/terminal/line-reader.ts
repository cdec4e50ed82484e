import { createInterface, type Interface } from "node:readline";
import type { Input } from "../io.ts";

/** Lines of an input that is no terminal, one at a time. Nothing is read before the first is wanted. */
export class LineReader {
  readonly #input: () => Input;
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;
  /** Who waits, in turn: a line belongs to one question. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(input: () => Input) {
    this.#input = input;
  }

  /** The next line; nothing where the input has ended. One that is no longer wanted when it comes is kept for the next. */
  next(signal: AbortSignal): Promise<string | undefined> {
    const turn = this.#turn.then(() => this.#next(signal));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #waiting: Promise<IteratorResult<string>> | undefined;

  async #next(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    if (this.#lines === undefined) {
      this.#reader = createInterface({ input: this.#input(), crlfDelay: Number.POSITIVE_INFINITY });
      this.#lines = this.#reader[Symbol.asyncIterator]();
    }
    const waiting = (this.#waiting ??= this.#lines.next());
    const gone = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const line = await Promise.race([waiting, gone]);
    if (line === undefined) return undefined;
    this.#waiting = undefined;
    return line.done === true ? undefined : line.value;
  }

  /** Lets go of the input, so that the process can end. */
  close(): void {
    this.#reader?.close();
  }
}
