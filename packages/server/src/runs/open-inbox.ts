/** The inbox of a store, for programs that have no tools of their own. */
import { Sealer } from "../crypto/sealed-box.ts";
import { settingsFrom, type GivenSettings } from "../settings.ts";
import type { Store } from "../stores/store.ts";
import { Inbox } from "./inbox.ts";
import { Runs } from "./runs.ts";

export interface InboxOptions extends Pick<GivenSettings, "audit" | "clock" | "report"> {
  readonly store: Store;
  /** Those of the servers that share the store: PHOTON_KEYS, without this. */
  readonly keys?: readonly string[];
}

/** Opens it. It ends with the store, which whoever opened it closes. */
export function openInbox(options: InboxOptions): Inbox {
  const settings = settingsFrom(options);
  return new Inbox(new Runs(options.store, new Sealer(settings.keys), settings), settings);
}
