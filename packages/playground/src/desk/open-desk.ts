/**
 * Everything behind the views: a connection, the runs on it, and what they ask.
 *
 * A second desk on the same storage, as after a reload, has the questions of the first.
 */
import { computed, effect, signal, untracked } from "@preact/signals";
import { InboxClient } from "../client/inbox-client.ts";
import type { WaitingRun } from "../client/waiting.ts";
import { isRecord } from "../is-record.ts";
import { WireLog } from "../wire/wire-log.ts";
import type { Surroundings } from "../wire/surroundings.ts";
import type { Settings } from "./connection.ts";
import { Connector } from "./connector.ts";
import type { Desk } from "./desk.ts";
import { newId, type Driver, type Shared } from "./driver.ts";
import { Inbox } from "./inbox.ts";
import { InboxDriver } from "./inbox-driver.ts";
import { Keeper, type KeptRun } from "./keeper.ts";
import { LiveRun } from "./live-run.ts";
import { ModernDriver } from "./modern-driver.ts";
import type { Offer } from "./offer.ts";
import { QuestionBoard } from "./question-board.ts";
import type { Given, Run } from "./run.ts";
import { Runs } from "./runs.ts";
import { SessionDriver } from "./session-driver.ts";

const DEFAULTS: Settings = { revision: "2026-07-28", way: "websocket", token: "" };

export interface DeskOptions extends Surroundings {
  /** Of `/mcp`. */
  readonly address: URL;
}

export interface OpenDesk extends Desk {
  /** Whether somebody can see the page: nobody looks for news of one that is hidden. */
  seen(isSeen: boolean): void;
  /** The page goes. What it keeps is there for the next one on the same storage. */
  leave(): void;
}

export function openDesk({ address, ...surroundings }: DeskOptions): OpenDesk {
  const { clock, onFrame, storage } = surroundings;
  const log = new WireLog(() => clock.now(), onFrame);
  const keeper = new Keeper(storage);
  const board = new QuestionBoard();
  const settings = signal<Settings>({ ...DEFAULTS, ...keeper.settings });
  const runs = new Runs();
  const connector = new Connector(address, log, surroundings, runs);
  const shared: Shared = { board, keeper, clock, client: () => connector.client };

  const inboxClient = new InboxClient(address, surroundings.fetch, () => settings.value.token);
  const inbox = new Inbox(inboxClient, clock);

  const drive = (run: LiveRun, kept?: KeptRun): Driver =>
    run.revision === "2026-07-28"
      ? new ModernDriver(run, shared, kept)
      : new SessionDriver(run, shared, kept !== undefined);

  function call(offer: Offer, given: Given): Run {
    const { revision } = settings.value;
    const run = new LiveRun({ id: newId(), offer, given, revision, began: clock.now() }, surroundings);
    runs.add(drive(run));
    return run;
  }

  function takeUp(waiting: WaitingRun): Run {
    const { revision } = settings.value;
    const { tool, title, about, since } = waiting;
    const offer = connector.offers.value.find(({ name }) => name === tool) ?? unlisted(tool, title);
    const given = isRecord(about?.input) ? about.input : {};
    const run = new LiveRun(
      { id: newId(), offer, given, revision, began: since, isTakenUp: true },
      surroundings,
    );
    const driver = new InboxDriver(run, waiting, inboxClient, shared, inbox.stir);
    runs.add(driver);
    inbox.drive(driver);
    return run;
  }

  for (const kept of keeper.runs) runs.add(drive(new LiveRun(kept, surroundings), kept));
  connector.connect(settings.value);
  const isConnected = computed(() => connector.connection.value.state === "open");
  const token = computed(() => settings.value.token);
  const stopWatching = effect(() => {
    const isOpen = isConnected.value;
    // With another token it is somebody else who looks.
    void token.value;
    untracked(() => inbox.connected(isOpen));
  });

  return {
    connection: connector.connection,
    settings,
    offers: connector.offers,
    runs: runs.shown,
    questions: board.shown,
    waiting: computed(() => {
      const shown = inbox.shown.value;
      return { ...shown, runs: shown.runs.filter(({ run }) => !runs.storedAs.value.has(run)) };
    }),
    wire: log.shown,
    wireDropped: log.dropped,
    call,
    takeUp,
    turnWaiting: (to) => inbox.turn(to),
    again: ({ offer, given }) => call(offer, given),
    cancel: ({ id }) => runs.find(id)?.cancel(),
    forget: ({ id }) => runs.forget(id),
    answer: (question, answer) => runs.find(question.runId)?.answer(question, answer),
    visit: (question) => runs.find(question.runId)?.visit(question),
    change(changed) {
      const before = settings.value;
      settings.value = { ...before, ...changed };
      keeper.keepSettings(settings.value);
      if (isElsewhere(before, settings.value)) connector.connect(settings.value);
    },
    reconnect: () => connector.connect(settings.value),
    clearWire: () => log.clear(),
    seen: (isSeen) => inbox.seen(isSeen),
    leave() {
      stopWatching();
      inbox.seen(false);
      connector.leave();
    },
  };
}

/** What a kept run is of may be offered no more. */
const unlisted = (name: string, title: string | undefined): Offer => ({
  kind: "tool",
  name,
  ...(title === undefined ? {} : { title }),
  inputSchema: {},
  annotations: {},
});

/** Whether settings need another connection. A token is not sent over WebSocket. */
const isElsewhere = (before: Settings, after: Settings): boolean =>
  before.revision !== after.revision ||
  before.way !== after.way ||
  (after.way === "http" && before.token !== after.token);
