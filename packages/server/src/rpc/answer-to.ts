import type { Wire } from "./message.ts";
import type { Asking, Requests } from "./requests.ts";

/** The answer is no longer wanted. */
export class TakenBack extends Error {
  override readonly name = "TakenBack";

  constructor() {
    super("The question was taken back.");
  }
}

/**
 * The answer to a question, for whoever waits for something else as well; it is wanted until the signal is aborted.
 * `read` turns a result into what is wanted.
 */
export function answerTo<T>(
  asking: Asking,
  requests: Pick<Requests, "ask" | "takeBack">,
  signal: AbortSignal,
  read: (result: Wire) => T,
): Promise<T> {
  if (signal.aborted) return Promise.reject(new TakenBack());
  return new Promise((resolve, reject) => {
    const takeBack = (): void => {
      requests.takeBack(asking);
      reject(new TakenBack());
    };
    signal.addEventListener("abort", takeBack, { once: true });
    requests.ask(asking, {
      isQuestion: true,
      about: asking.about,
      answered: (result) => resolve(read(result)),
      failed: reject,
    });
  });
}
