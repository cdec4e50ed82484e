/** The resources whose changes a client has subscribed to. */
import type { Account } from "./accounts.ts";
import type { Catalog } from "./catalog.ts";
import { resourceAt } from "./methods.ts";
import type { Features } from "./protocol/revisions.ts";
import { OVER_LIMIT, RpcError } from "./jsonrpc/errors.ts";
import { estimateBytes } from "./jsonrpc/message-size.ts";
import type { Settings } from "./settings.ts";

/** The memory of a subscription beside its URI, in bytes. */
const SUBSCRIPTION_BYTES = 1024;

export class Subscriptions {
  readonly #catalog: Catalog;
  readonly #settings: Pick<Settings, "limits" | "report">;
  readonly #onUpdate: (uri: string) => void;
  readonly #account: Account | undefined;
  readonly #watches = new Map<string, AbortController>();

  /** `account` is charged for the memory; without it, the memory of a pending request covers it. */
  constructor(
    catalog: Catalog,
    settings: Pick<Settings, "limits" | "report">,
    onUpdate: (uri: string) => void,
    account?: Account,
  ) {
    this.#account = account;
    this.#catalog = catalog;
    this.#settings = settings;
    this.#onUpdate = onUpdate;
  }

  add(uri: string, features: Features): void {
    const { resource } = resourceAt(this.#catalog, uri, features);
    if (this.#watches.has(uri)) return;
    const maxWatches = this.#settings.limits.subscriptions;
    if (this.#watches.size >= maxWatches)
      throw new RpcError(OVER_LIMIT, `This session has reached its limit of subscriptions (${maxWatches}).`);
    this.#account?.reserveOrThrow(estimateBytes(uri) + SUBSCRIPTION_BYTES);
    const watch = new AbortController();
    const { signal } = watch;
    this.#watches.set(uri, watch);
    const changed = (): void => {
      if (!signal.aborted) this.#onUpdate(uri);
    };
    const watching = async (): Promise<void> => resource.watch?.({ uri, changed, signal });
    watching().catch(this.#settings.report);
  }

  remove(uri: string): void {
    const watch = this.#watches.get(uri);
    if (watch === undefined) return;
    watch.abort();
    this.#watches.delete(uri);
    this.#account?.release(estimateBytes(uri) + SUBSCRIPTION_BYTES);
  }

  close(): void {
    for (const uri of this.#watches.keys()) this.remove(uri);
  }
}
