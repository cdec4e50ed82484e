/** What only sessions have: what a client asks of its session, and not of what is offered. */
import { logLevels } from "@photon/core";
import type { Account } from "../accounts.ts";
import { textParam } from "../methods.ts";
import type { ServerContext } from "../context.ts";
import type { Features } from "../protocol/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, Params, JsonObject } from "../jsonrpc/messages.ts";
import { Subscriptions } from "../resource-subscriptions.ts";

export class SessionMethods {
  readonly #context: ServerContext;
  readonly #account: Account;
  readonly #send: (notification: Notification) => void;
  readonly #logLevel = new LogThreshold();
  /** Made with the first: most sessions never have one. */
  #subscriptions: Subscriptions | undefined;

  constructor(context: ServerContext, account: Account, send: (notification: Notification) => void) {
    this.#context = context;
    this.#account = account;
    this.#send = send;
  }

  isLogged(level: string): boolean {
    return this.#logLevel.admits(level);
  }

  /** What answers a method; nothing, where it is none of these. */
  answer(method: string, params: Params, features: Features): JsonObject | undefined {
    switch (method) {
      case "logging/setLevel":
        if (this.#logLevel.set(params["level"])) return {};
        throw new RpcError(INVALID_PARAMS, `A log level is one of ${logLevels.join(", ")}.`);
      case "resources/subscribe":
        this.#subscribed().add(textParam(params, "uri"), features);
        return {};
      case "resources/unsubscribe":
        this.#subscribed().remove(textParam(params, "uri"));
        return {};
      default:
        return undefined;
    }
  }

  close(): void {
    this.#subscriptions?.close();
  }

  #subscribed(): Subscriptions {
    const method = "notifications/resources/updated";
    const { catalog, settings } = this.#context;
    this.#subscriptions ??= new Subscriptions(
      catalog,
      settings,
      (uri) => this.#send({ jsonrpc: "2.0", method, params: { uri } }),
      this.#account,
    );
    return this.#subscriptions;
  }
}

/** From which level on a client wants to hear of logs: `info`, until it says otherwise. */
export class LogThreshold {
  #least = logLevels.indexOf("info");

  /** Changes it; says whether there is such a level. */
  set(level: unknown): boolean {
    const place = logLevels.findIndex((known) => known === level);
    if (place >= 0) this.#least = place;
    return place >= 0;
  }

  admits(level: string): boolean {
    return logLevels.findIndex((known) => known === level) >= this.#least;
  }
}
