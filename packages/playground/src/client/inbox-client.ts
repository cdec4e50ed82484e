/** Asks a server's inbox, and answers it, as the person whose token the page has. */
import { isRecord } from "../is-record.ts";
import { bearer, sentenceIn } from "../wire/post.ts";
import { recordIn, textIn, type Fields } from "../wire/record.ts";
import type { Surroundings } from "../wire/surroundings.ts";
import { questionsIn, waitingIn, type WaitingQuestion, type WaitingRun } from "./waiting.ts";

/** What was said to a question. */
export interface Said {
  readonly key: string;
  readonly attempt?: number;
  readonly action: "accept" | "decline" | "cancel";
  readonly value?: unknown;
}

/** Where a run stands; nothing, where that cannot be found out now. */
export type Standing =
  | { readonly state: "asks"; readonly questions: readonly WaitingQuestion[] }
  | { readonly state: "ended"; readonly result: Fields }
  | { readonly state: "failed"; readonly message: string }
  /** It is kept no longer, or no longer this person's. */
  | { readonly state: "gone" };

/** What became of an answer. `late`: the question is open no more. */
export type Receipt =
  | { readonly kind: "taken" }
  | { readonly kind: "late" | "refused"; readonly problem: string };

/** A page of what waits, and where the next one begins, if there is one. */
export interface WaitingPage {
  readonly runs: readonly WaitingRun[];
  readonly next: string | undefined;
}

/**
 * `none`: there is no inbox after all, or not for this person. `misplaced`: no page begins there. `unknown`: the server
 * cannot tell now.
 */
export type Listed = WaitingPage | "none" | "misplaced" | "unknown";

/** The most runs of a page: of a server that gives more, the others are not read. */
const PAGE = 50;

const NOTHING_AT: ReadonlyMap<number, Listed> = new Map<number, Listed>([
  [400, "misplaced"],
  [401, "none"],
  [403, "none"],
  [404, "none"],
]);

interface Heard {
  readonly status: number;
  readonly fields: Fields;
}

export class InboxClient {
  /** Of the page: `inbox` is below it. */
  readonly #address: URL;
  readonly #fetch: Surroundings["fetch"];
  readonly #token: () => string;

  constructor(address: URL, fetch: Surroundings["fetch"], token: () => string) {
    this.#address = address;
    this.#fetch = fetch;
    this.#token = token;
  }

  /** Whether there is an inbox, for this person. Asked where every server answers: a browser calls a 404 an error. */
  async isThere(): Promise<boolean> {
    const { status, fields } = await this.#send("healthz");
    return status === 200 && fields["inbox"] === true;
  }

  /** A page of what waits, from where another one ended on. */
  async list(after?: string): Promise<Listed> {
    const from = after === undefined ? "" : `&after=${encodeURIComponent(after)}`;
    const { status, fields } = await this.#send(`inbox?limit=${PAGE}${from}`);
    if (status !== 200) return NOTHING_AT.get(status) ?? "unknown";
    const { runs } = fields;
    const waiting = (Array.isArray(runs) ? runs : []).slice(0, PAGE).flatMap((run) => waitingIn(run) ?? []);
    return { runs: waiting, next: textIn(fields, "next") };
  }

  async look(run: string): Promise<Standing | undefined> {
    const { status, fields } = await this.#send(`inbox/${encodeURIComponent(run)}`);
    if (status === 404) return { state: "gone" };
    if (status !== 200) return undefined;
    const { result, error } = fields;
    if (isRecord(result)) return { state: "ended", result };
    if (isRecord(error)) return { state: "failed", message: textIn(error, "message") ?? "It failed." };
    return { state: "asks", questions: questionsIn(fields) };
  }

  async answer(run: string, said: Said): Promise<Receipt> {
    const { status, fields } = await this.#send(`inbox/${encodeURIComponent(run)}`, {
      method: "POST",
      body: JSON.stringify(said),
    });
    if (status === 200) return { kind: "taken" };
    const problem = textIn(recordIn(fields, "error"), "message") ?? `The server answers ${status}.`;
    return { kind: status === 409 ? "late" : "refused", problem };
  }

  async #send(path: string, init: Pick<RequestInit, "method" | "body"> = {}): Promise<Heard> {
    const address = new URL(path, this.#address);
    const response = await this.#fetch(address.href, {
      ...init,
      headers: {
        accept: "application/json",
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
        ...bearer(this.#token()),
      },
    });
    const text = await response.text();
    return { status: response.status, fields: fieldsIn(text) };
  }
}

/** Whoever stands in between may say something that is no JSON. */
function fieldsIn(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return { error: { message: sentenceIn(text) } };
  }
}
