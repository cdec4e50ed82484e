import { Accounts } from "./accounts.ts";
import { Catalog, type Definitions } from "./catalog.ts";
import { Handovers } from "./handover/continue-tools.ts";
import type { Desk, OpenPageFor } from "./pages/types.ts";
import { Places } from "./calls/waiting-calls.ts";
import { Runs } from "./durable/run-repository.ts";
import { Sealer } from "./crypto/sealed-box.ts";
import { Deadlines } from "./calls/question-deadlines.ts";
import type { Settings } from "./settings.ts";
import { Suspicions } from "./client-trust.ts";

/** What a server's clients have in common, however they came in. */
export interface House {
  readonly settings: Settings;
  readonly catalog: Catalog;
  /** What each principal uses. */
  readonly accounts: Accounts;
  readonly places: Places;
  /** Seals what is given into other hands. */
  readonly sealer: Sealer;
  /** Where durable runs are kept, if there is a store. */
  readonly runs: Runs | undefined;
  readonly handovers: Handovers;
  readonly suspicions: Suspicions;
  /** Of the questions that are open on sessions. */
  readonly deadlines: Deadlines;
  /** Opens a page for a question that its client cannot show. */
  readonly openPage: OpenPageFor;
}

export function openHouse(definitions: Definitions, settings: Settings, desk: Desk): House {
  const accounts = new Accounts(settings.limits);
  const places = new Places(settings);
  const sealer = new Sealer(settings.keys);
  const { store } = settings;
  const runs = store && new Runs(store, sealer, settings);
  const catalog = new Catalog(definitions);
  return {
    settings,
    accounts,
    places,
    sealer,
    runs,
    openPage: desk.open,
    suspicions: new Suspicions(settings),
    deadlines: new Deadlines(settings.clock),
    catalog,
    handovers: new Handovers({ settings, accounts, places, desk }, catalog, runs),
  };
}
