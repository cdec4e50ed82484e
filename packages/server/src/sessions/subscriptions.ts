/** The resources that a client wants to hear of when they change. */
import type { Catalog } from "../catalog.ts";
import { resourceAt } from "../dispatch.ts";
import type { Features } from "../mcp/revisions.ts";
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Settings } from "../settings.ts";

export class Subscriptions {
  readonly #catalog: Catalog;
  readonly #settings: Pick<Settings, "limits" | "report">;
  readonly #tell: (uri: string) => void;
  readonly #watches = new Map<string, AbortController>();

  constructor(catalog: Catalog, settings: Pick<Settings, "limits" | "report">, tell: (uri: string) => void) {
    this.#catalog = catalog;
    this.#settings = settings;
    this.#tell = tell;
  }

  add(uri: string, features: Features): void {
    const { resource } = resourceAt(this.#catalog, uri, features);
    if (this.#watches.has(uri)) return;
    const most = this.#settings.limits.subscriptions;
    if (this.#watches.size >= most)
      throw new RpcError(OVER_LIMIT, `This session has ${most} subscriptions already.`);
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
    this.#watches.get(uri)?.abort();
    this.#watches.delete(uri);
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.abort();
    this.#watches.clear();
  }
}
