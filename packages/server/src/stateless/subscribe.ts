/**
 * `subscriptions/listen`: a request that is answered with notifications, until its client disconnects or the server closes.
 *
 *   1. The first notification says which of the wanted changes are sent; no others are.
 *   2. Each notification has the id of the request.
 */
import type { Catalog, ListName, Watcher } from "../catalog.ts";
import { SUBSCRIPTION_ID } from "../protocol/request-meta.ts";
import type { Features } from "../protocol/revisions.ts";
import { INVALID_PARAMS, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Params, type Request, type JsonObject } from "../jsonrpc/messages.ts";
import type { RequestContext } from "../connection.ts";
import type { ServerContext } from "../context.ts";
import type { CancelSignal } from "../util/light-abort.ts";
import { Subscriptions } from "../resource-subscriptions.ts";

const LISTS: Readonly<Record<ListName, string>> = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

/** Resolves when the client has disconnected, or `closing` is aborted: the server closes. */
export async function handleSubscribe(
  { id, params = {} }: Request,
  caller: RequestContext,
  { catalog, settings }: ServerContext,
  features: Features,
  closing: CancelSignal,
): Promise<JsonObject> {
  const { lists, uris, granted } = parseFilter(params, catalog, settings.limits.subscriptions);
  const meta = { [SUBSCRIPTION_ID]: id };
  const notify = (method: string, more: JsonObject = {}): void | Promise<void> =>
    caller.notify({ jsonrpc: "2.0", method: `notifications/${method}`, params: { _meta: meta, ...more } });
  const subscriptions = new Subscriptions(
    catalog,
    settings,
    (uri) => void notify("resources/updated", { uri }),
  );
  const watcher: Watcher = {
    changed(changed) {
      for (const list of changed) if (lists.includes(list)) void notify(`${list}/list_changed`);
    },
  };
  catalog.watch(watcher);
  try {
    // The acknowledgement is sent before any change.
    await notify("subscriptions/acknowledged", { notifications: granted });
    for (const uri of uris) subscriptions.add(uri, features);
    await untilAborted(caller.signal, closing);
  } finally {
    catalog.unwatch(watcher);
    subscriptions.close();
  }
  return { _meta: meta };
}

/** What a request subscribes to. `granted` are the wanted lists and those of the wanted resources that exist. */
function parseFilter({ notifications }: Params, catalog: Catalog, maxResources: number) {
  if (!isRecord(notifications))
    throw new RpcError(INVALID_PARAMS, "notifications must be an object that names the wanted changes.");
  // The keys of `LISTS` are all list names.
  const lists = (Object.keys(LISTS) as ListName[]).filter((list) => notifications[LISTS[list]] === true);
  const { resourceSubscriptions: wanted = [] } = notifications;
  if (!Array.isArray(wanted) || !wanted.every((uri) => typeof uri === "string"))
    throw new RpcError(INVALID_PARAMS, "resourceSubscriptions must be a list of URIs.");
  // Checked before the lookup, which compares each URI with every template.
  if (wanted.length > maxResources)
    throw new RpcError(OVER_LIMIT, `One request listens to at most ${maxResources} resources.`);
  const uris = [...new Set(wanted)].filter((uri) => catalog.findResource(uri) !== undefined);
  const granted = {
    ...Object.fromEntries(lists.map((list) => [LISTS[list], true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
  return { lists, uris, granted };
}

function untilAborted(...signals: readonly CancelSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      resolve();
    };
    for (const signal of signals) signal.addEventListener("abort", onAbort);
    if (signals.some(({ aborted }) => aborted)) onAbort();
  });
}
