import { Accounts } from "./accounts.ts";
import { Catalog, type Definitions } from "./catalog.ts";
import { HandoverManager } from "./handover/handover-manager.ts";
import type { PageHost } from "./pages/page-host.ts";
import type { OpenPageFor } from "./pages/page.ts";
import { WaitingCalls } from "./calls/waiting-calls.ts";
import { RunRepository } from "./durable/run-repository.ts";
import { SealedBox } from "./crypto/sealed-box.ts";
import { DeadlineQueue } from "./calls/question-deadlines.ts";
import type { Settings } from "./settings.ts";
import { ClientTrust } from "./client-trust.ts";

/** The services that all connections of a server share. */
export interface ServerContext {
  readonly settings: Settings;
  readonly catalog: Catalog;
  /** The memory and requests that each principal uses. */
  readonly accounts: Accounts;
  readonly waitingCalls: WaitingCalls;
  /** Encrypts what clients and stores keep for the server. */
  readonly sealedBox: SealedBox;
  /** Durable runs, if there is a store. */
  readonly runs: RunRepository | undefined;
  readonly handovers: HandoverManager;
  readonly trust: ClientTrust;
  /** The deadlines of questions that are open on sessions. */
  readonly deadlines: DeadlineQueue;
  /** Opens a page for a question that its client cannot show. */
  readonly openPage: OpenPageFor;
}

export function createServerContext(
  definitions: Definitions,
  settings: Settings,
  pageHost: PageHost,
): ServerContext {
  const accounts = new Accounts(settings.limits);
  const waitingCalls = new WaitingCalls(settings);
  const sealedBox = new SealedBox(settings.keys);
  const { store } = settings;
  const runs = store && new RunRepository(store, sealedBox, settings);
  const catalog = new Catalog(definitions);
  return {
    settings,
    accounts,
    waitingCalls,
    sealedBox,
    runs,
    openPage: pageHost.open,
    trust: new ClientTrust(settings),
    deadlines: new DeadlineQueue(settings.clock),
    catalog,
    handovers: new HandoverManager({ settings, accounts, waitingCalls, pageHost, catalog, runs }),
  };
}
