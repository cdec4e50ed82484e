/** Output that a client has not read, as far as it waits in this process: it counts as memory of its principal. */
import type { Account } from "../accounts.ts";
import { errorResponse } from "../jsonrpc/errors.ts";
import type { Message, Response } from "../jsonrpc/messages.ts";

/** What is shorter, in bytes, is not counted: most output is, and the operating system takes it at once. */
export const UNCOUNTED: number = 16 * 1024;

export class Unread {
  readonly #account: Account;
  #counted = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** So many bytes wait now. */
  set(bytes: number): void {
    const waiting = bytes > UNCOUNTED ? bytes : 0;
    const more = waiting - this.#counted;
    if (more === 0) return;
    this.#counted = waiting;
    if (more > 0) this.#account.overdraw(more);
    else this.#account.release(-more);
  }
}

/** The text of a response; of an error, where it is long and the limit for what its principal leaves unread is used up. */
export function affordable(response: Response | readonly Response[], account: Account): string {
  const text = JSON.stringify(response);
  const exceeded = text.length > UNCOUNTED ? account.exhausted : undefined;
  if (exceeded === undefined) return text;
  const { error } = account.memoryRefusal(exceeded);
  return JSON.stringify(
    "jsonrpc" in response
      ? errorResponse(response.id, error)
      : response.map(({ id }) => errorResponse(id, error)),
  );
}

/** The text of whatever is sent. */
export const textOf = (message: Message | readonly Message[], account: Account): string =>
  isResponse(message) ? affordable(message, account) : JSON.stringify(message);

// What is sent together is the answers to a batch.
export const isResponse = (
  message: Message | readonly Message[],
): message is Response | readonly Response[] => !("method" in message);
