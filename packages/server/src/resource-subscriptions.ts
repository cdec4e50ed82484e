/** The resources that a client wants to hear of when they change. */
import type { Account } from "./accounts.ts";
import type { Catalog } from "./catalog.ts";
import { resourceAt } from "./methods.ts";
import type { Features } from "./protocol/revisions.ts";
import { OVER_LIMIT, RpcError } from "./jsonrpc/errors.ts";
import { estimateBytes } from "./jsonrpc/message-size.ts";
import type { Settings } from "./settings.ts";

/** What a subscription takes beside its address, in bytes. */
const WATCH_BYTES = 1024;

export class Subscriptions {
  readonly #catalog: Catalog;
  readonly #settings: Pick<Settings, "limits" | "report">;
  readonly #tell: (uri: string) => void;
  readonly #account: Account | undefined;
  readonly #watches = new Map<string, AbortController>();

  /** `account`: what the addresses are counted for; nothing, where the request that has them is. */
  constructor(
    catalog: Catalog,
    settings: Pick<Settings, "limits" | "report">,
    tell: (uri: string) => void,
    account?: Account,
  ) {
    this.#account = account;
    this.#catalog = catalog;
    this.#settings = settings;
    this.#tell = tell;
  }

  add(uri: string, features: Features): void {
    const { resource } = resourceAt(this.#catalog, uri, features);
    if (this.#watches.has(uri)) return;
    const most = this.#settings.limits.subscriptions;
    if (this.#watches.size >= most)
      throw new RpcError(OVER_LIMIT, `This session has reached its limit of subscriptions (${most}).`);
    this.#account?.reserveOrThrow(estimateBytes(uri) + WATCH_BYTES);
    const watch = new AbortController();
    const { signal } = watch;
    this.#watches.set(uri, watch);
    const changed = (): void => {
      if (!signal.aborted) this.#tell(uri);
    };
    const watching = async (): Promise<void> => resource.watch?.({ uri, changed, signal });
    watching().catch(this.#settings.report);
  }

  remove(uri: string): void {
    const watch = this.#watches.get(uri);
    if (watch === undefined) return;
    watch.abort();
    this.#watches.delete(uri);
    this.#account?.release(estimateBytes(uri) + WATCH_BYTES);
  }

  close(): void {
    for (const uri of this.#watches.keys()) this.remove(uri);
  }
}
