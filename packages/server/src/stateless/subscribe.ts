/**
 * `subscriptions/listen`: a request that is answered with notifications, until the client or the server ends it.
 *
 *   1. The first says what is listened to; nothing else is ever told.
 *   2. Each carries the id of the request.
 */
import type { Catalog, ListName, Watcher } from "../catalog.ts";
import { SUBSCRIPTION_ID } from "../protocol/request-meta.ts";
import type { Features } from "../protocol/revisions.ts";
import { INVALID_PARAMS, OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Params, type RequestId, type JsonObject } from "../jsonrpc/messages.ts";
import type { RequestContext } from "../connection.ts";
import type { CancelSignal } from "../util/light-abort.ts";
import { Subscriptions } from "../resource-subscriptions.ts";
import type { Settings } from "../settings.ts";

const LISTS: Readonly<Record<ListName, string>> = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
};

interface Listening {
  readonly catalog: Catalog;
  readonly settings: Settings;
  readonly features: Features;
  /** Aborted when the server closes. */
  readonly closing: CancelSignal;
}

/** Settles when the server closes, or the client has gone. */
export async function handleSubscribe(
  id: RequestId,
  params: Params,
  caller: RequestContext,
  { catalog, settings, features, closing }: Listening,
): Promise<JsonObject> {
  const wanted = readFilter(params, catalog, settings.limits.subscriptions);
  const meta = { [SUBSCRIPTION_ID]: id };
  const tell = (method: string, about: JsonObject = {}): void | Promise<void> =>
    caller.notify({ jsonrpc: "2.0", method: `notifications/${method}`, params: { _meta: meta, ...about } });
  const subscriptions = new Subscriptions(
    catalog,
    settings,
    (uri) => void tell("resources/updated", { uri }),
  );
  const watcher: Watcher = {
    changed(lists) {
      for (const list of lists) if (wanted.lists.includes(list)) void tell(`${list}/list_changed`);
    },
  };
  catalog.watch(watcher);
  try {
    // Before anything changes can be told, it is said what will be.
    await tell("subscriptions/acknowledged", { notifications: wanted.granted });
    for (const uri of wanted.uris) subscriptions.add(uri, features);
    await ended(caller.signal, closing);
  } finally {
    catalog.unwatch(watcher);
    subscriptions.close();
  }
  return { _meta: meta };
}

/** What is listened to: of what was wanted, as much as there is. */
function readFilter(
  { notifications }: Params,
  catalog: Catalog,
  most: number,
): {
  readonly lists: readonly ListName[];
  readonly uris: readonly string[];
  readonly granted: JsonObject;
} {
  if (!isRecord(notifications))
    throw new RpcError(INVALID_PARAMS, "notifications is an object that says what to listen to.");
  // The record has a name for each list.
  const lists = (Object.keys(LISTS) as ListName[]).filter((list) => notifications[LISTS[list]] === true);
  const { resourceSubscriptions: named = [] } = notifications;
  if (!Array.isArray(named) || !named.every((uri) => typeof uri === "string"))
    throw new RpcError(INVALID_PARAMS, "resourceSubscriptions is a list of addresses.");
  // Before any is looked for: each costs a look at every template.
  if (named.length > most)
    throw new RpcError(OVER_LIMIT, `One request listens to at most ${most} resources.`);
  const uris = [...new Set(named)].filter((uri) => catalog.findResource(uri) !== undefined);
  const granted = {
    ...Object.fromEntries(lists.map((list) => [LISTS[list], true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
  return { lists, uris, granted };
}

function ended(...signals: readonly CancelSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some(({ aborted }) => aborted)) end();
  });
}
