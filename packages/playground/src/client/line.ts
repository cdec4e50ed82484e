/**
 * Requests and their answers over one channel, whichever that is; and what is noted of them.
 *
 *   1. A request is answered once: with a result, an error, or that it broke.
 *   2. What answers nothing, or is no message, is noted and otherwise ignored.
 */
import type { Exchange } from "../desk/exchange.ts";
import type { Channel, Ear, Headers } from "../wire/channel.ts";
import {
  isRequestId,
  readIncoming,
  type Fault,
  type Incoming,
  type Outgoing,
  type RequestId,
} from "../wire/message.ts";
import { recordIn, textIn, type Fields } from "../wire/record.ts";
import type { WireLog } from "../wire/wire-log.ts";

export type Answer =
  | { readonly kind: "result"; readonly result: Fields }
  | { readonly kind: "error"; readonly fault: Fault }
  /** There was none. */
  | { readonly kind: "broken"; readonly problem: string };

/** What a request is sent with beside its parameters. */
export interface Asking {
  readonly done: (answer: Answer) => void;
  readonly runId?: string;
  /** By which name the server logs for it. */
  readonly logger?: string;
  readonly headers?: Headers;
}

interface Pending extends Asking {
  readonly method: string;
}

/** Who is told of what no request of ours is answered by. `about`: the request of ours that it belongs to. */
export interface LineEar extends Pick<Ear, "opened" | "lost" | "refused"> {
  told(method: string, params: Fields, about: RequestId | undefined): void;
  asked(id: RequestId, method: string, params: Fields, about: RequestId | undefined): void;
}

/** Ids go on from one line to the next: an answer that comes late answers nothing. */
let ids = 0;

/** Where Photon says for which call something is: by its progress token, which is the id of the request. */
const CALL = "photon/call";

export class Line implements Ear {
  readonly #log: WireLog;
  #ear: LineEar | undefined;
  readonly #pending = new Map<RequestId, Pending>();
  /** What the server has asked, and for which run. */
  readonly #theirs = new Map<RequestId, { readonly method: string; readonly runId: string | undefined }>();
  #channel: Channel | undefined;

  constructor(log: WireLog) {
    this.#log = log;
  }

  /** Begins: what is heard on a channel is told to somebody from then on. */
  open(ear: LineEar, openChannel: (line: Ear) => Channel): void {
    this.#ear = ear;
    this.#channel = openChannel(this);
  }

  /** Sends a request; gives back its id. */
  request(method: string, makeParams: (id: RequestId) => Fields, asking: Asking): RequestId {
    ids += 1;
    const id = ids;
    if (this.#channel === undefined) {
      queueMicrotask(() => asking.done({ kind: "broken", problem: "There is no connection." }));
      return id;
    }
    this.#pending.set(id, { method, ...asking });
    this.#send({ jsonrpc: "2.0", id, method, params: makeParams(id) }, method, asking.runId, asking.headers);
    return id;
  }

  notify(method: string, params: Fields, runId?: string): void {
    this.#send({ jsonrpc: "2.0", method, params }, method, runId);
  }

  /** Answers what the server asked. */
  reply(id: RequestId, answer: { readonly result: Fields } | { readonly error: Fault }): void {
    const { method = "", runId } = this.#theirs.get(id) ?? {};
    this.#theirs.delete(id);
    this.#send({ jsonrpc: "2.0", id, ...answer }, method, runId);
  }

  /** Wants no answer any more. Whether the server knows by that; otherwise it must be told. */
  abandon(id: RequestId): boolean {
    this.#pending.delete(id);
    return this.#channel?.hangUp(id) ?? true;
  }

  /** The run that a request of ours is for. */
  runOf(id: RequestId | undefined): string | undefined {
    return id === undefined ? undefined : this.#pending.get(id)?.runId;
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#breakAll("The connection was closed.");
  }

  /** The page goes: nobody is told. */
  leave(): void {
    this.#pending.clear();
    this.close();
  }

  opened(): void {
    this.#ear?.opened();
  }

  awaits(id: RequestId): boolean {
    return this.#pending.has(id);
  }

  heard(text: string, by: string, stream?: RequestId): void {
    const incoming = readIncoming(text);
    const about = this.#aboutWhich(incoming, stream);
    this.#note({ from: "server", text, by, ...this.#describe(incoming, about) });
    switch (incoming.kind) {
      case "response":
        return this.#settle(incoming.id, { kind: "result", result: incoming.result });
      case "error":
        // Where it does not say which request it answers, it is the one whose stream it came on.
        return this.#settle(incoming.id ?? stream, { kind: "error", fault: incoming.fault });
      case "notification":
        return this.#ear?.told(incoming.method, incoming.params, about);
      case "request":
        this.#theirs.set(incoming.id, { method: incoming.method, runId: this.runOf(about) });
        return this.#ear?.asked(incoming.id, incoming.method, incoming.params, about);
      case "garbage":
        return undefined;
      default:
        return incoming satisfies never;
    }
  }

  broke(id: RequestId, problem: string): void {
    this.#settle(id, { kind: "broken", problem });
  }

  lost(problem: string): void {
    this.#channel = undefined;
    this.#breakAll(problem);
    this.#ear?.lost(problem);
  }

  refused(problem: string): void {
    this.#channel = undefined;
    this.#breakAll(problem);
    this.#ear?.refused(problem);
  }

  #settle(id: RequestId | undefined, answer: Answer): void {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) return;
    this.#pending.delete(id);
    pending.done(answer);
  }

  #breakAll(problem: string): void {
    const broken = Array.from(this.#pending.values());
    // Before any of them is told: what that makes somebody send is not among them.
    this.#pending.clear();
    for (const { done } of broken) done({ kind: "broken", problem });
  }

  #send(message: Outgoing, title: string, runId: string | undefined, headers?: Headers): void {
    if (this.#channel === undefined) return;
    const kind =
      "error" in message
        ? "error"
        : "result" in message
          ? "response"
          : "id" in message
            ? "request"
            : "notification";
    this.#note({ from: "page", text: JSON.stringify(message), by: this.#channel.by, title, kind, runId });
    this.#channel.send(message, headers);
  }

  #note(
    noted: Omit<Exchange, "id" | "at" | "size" | "runId"> & { readonly runId: string | undefined },
  ): void {
    const { runId, ...others } = noted;
    this.#log.note(runId === undefined ? others : { ...others, runId });
  }

  #describe(
    incoming: Incoming,
    about: RequestId | undefined,
  ): Pick<Exchange, "title" | "kind"> & { readonly runId: string | undefined } {
    const runId = this.runOf(about);
    if (incoming.kind === "garbage") return { title: "no message", kind: "error", runId };
    if (incoming.kind === "request" || incoming.kind === "notification")
      return { title: incoming.method, kind: incoming.kind, runId };
    const answered = about === undefined ? undefined : this.#pending.get(about);
    return { title: answered?.method ?? "an answer to nothing", kind: incoming.kind, runId };
  }

  /** Which request of ours something belongs to: by what it says, by its stream, or by who logs. */
  #aboutWhich(incoming: Incoming, stream: RequestId | undefined): RequestId | undefined {
    if (incoming.kind === "garbage") return stream;
    if (incoming.kind === "response" || incoming.kind === "error") return incoming.id ?? stream;
    const { params } = incoming;
    const named = params["progressToken"] ?? recordIn(params, "_meta")[CALL];
    if (isRequestId(named)) return named;
    if (stream !== undefined) return stream;
    const logger = textIn(params, "logger")?.replace(/\/steps$/, "");
    const isCandidate = (pending: Pending): boolean =>
      pending.runId !== undefined && (logger === undefined || pending.logger === logger);
    const isAsking = incoming.kind === "request" || incoming.method === "notifications/message";
    const candidates = [...this.#pending].filter(([, pending]) => isAsking && isCandidate(pending));
    // A channel that carries several does not say for which it is; the one that began last is as good a guess as any.
    return candidates.at(-1)?.[0];
  }
}
