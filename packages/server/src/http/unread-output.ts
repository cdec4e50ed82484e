/** Output that waits in this process until the client reads it. It counts as memory of the principal. */
import type { Account } from "../accounts.ts";
import { errorResponse } from "../jsonrpc/errors.ts";
import type { Message, Response } from "../jsonrpc/messages.ts";

/** Less is not counted: the operating system takes most output at once. */
export const UNCOUNTED_BYTES: number = 16 * 1024;

export class UnreadOutput {
  readonly #account: Account;
  #counted = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** How many bytes wait now. */
  set(bytes: number): void {
    const waiting = bytes > UNCOUNTED_BYTES ? bytes : 0;
    const more = waiting - this.#counted;
    if (more === 0) return;
    this.#counted = waiting;
    if (more > 0) this.#account.overdraw(more);
    else this.#account.release(-more);
  }
}

/** A response as JSON; an error in its place if it is long and its principal has no memory left. */
export function formatResponse(response: Response | readonly Response[], account: Account): string {
  const text = JSON.stringify(response);
  const exceeded = text.length > UNCOUNTED_BYTES ? account.exhausted : undefined;
  if (exceeded === undefined) return text;
  const { error } = account.memoryRefusal(exceeded);
  return JSON.stringify(
    "jsonrpc" in response
      ? errorResponse(response.id, error)
      : response.map(({ id }) => errorResponse(id, error)),
  );
}

export const formatMessage = (message: Message | readonly Message[], account: Account): string =>
  isResponse(message) ? formatResponse(message, account) : JSON.stringify(message);

// An array is the responses to a batch.
export const isResponse = (
  message: Message | readonly Message[],
): message is Response | readonly Response[] => !("method" in message);
