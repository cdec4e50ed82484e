/** What a server is told when it is made, with its defaults. */
import {
  type Answerer,
  type Clock,
  type Duration,
  InvalidDefinition,
  type Log,
  milliseconds,
  systemClock,
  type Timeout,
  type WhenUnsupported,
} from "@photon/core";
import type { Audit } from "./audit.ts";
import { MODERN, type Revision } from "./protocol/revisions.ts";
import { present } from "./util/omit-undefined.ts";
import { keysIn } from "./crypto/sealed-box.ts";
import type { Store } from "./stores/store.ts";
import { inspect } from "node:util";

/** What one client may use of the server. Over a limit is an error to that client; runs that continue without it wait instead. */
export interface Limits {
  /** Calls of one session under way at once: 100. */
  readonly runsPerSession: number;
  /** Questions of one session open at once: 100. */
  readonly asksPerSession: number;
  /** The size of one message, in bytes: 4 MiB. */
  readonly messageBytes: number;
  /** Values in one message, in all its objects and lists: 60,000. */
  readonly messageValues: number;
  /** Keys in one message, in all its objects: 30,000. */
  readonly messageKeys: number;
  /** Messages in one batch, which 2025-03-26 has: 1,000. Each may cost an answer that is longer than itself. */
  readonly batch: number;
  /** Connections to the port of a server that listens itself, WebSockets included: 20,000. Over it, new ones are closed at once. */
  readonly connections: number;
  /** The same, of one network address (of IPv6, one /64), without WebSockets: 5,000. */
  readonly connectionsPerAddress: number;
  /** Sessions at once: 10,000. */
  readonly sessions: number;
  /** The same, of one principal: 2,000. Principals without a name are told apart by their network addresses. */
  readonly sessionsPerPrincipal: number;
  /**
   * The memory of calls under way and parked, unfinished messages, unread output and kept events, in bytes: 512 MiB. It is
   * estimated from what was read from the wire and written to it.
   */
  readonly bytes: number;
  /** The same, of one principal: 128 MiB. */
  readonly bytesPerPrincipal: number;
  /** What may wait for a client that reads slowly, in bytes: 16 MiB. Over it, the line is closed. The answers to a batch are no more together. */
  readonly queueBytes: number;
  /** Events of one session kept for a client that comes back, by count: 1,000. They are no more than `queueBytes` together. */
  readonly events: number;
  /** Resources that one session, or one request that listens, is told of when they change: 1,000. */
  readonly subscriptions: number;
  /** Requests of 2026-07-28 being answered at once, those that listen included: 10,000. */
  readonly exchanges: number;
  /** The same, of one principal: 2,000. */
  readonly exchangesPerPrincipal: number;
  /** Calls of 2026-07-28 that wait for answers at once: 50,000. Over it, new calls are refused. */
  readonly parked: number;
  /** The same, of one principal: 10,000. */
  readonly parkedPerPrincipal: number;
  /**
   * Rounds of questions that a client of 2026-07-28 takes in one call: 10, as all known clients do. Before the next one the call
   * ends, and `photon_continue` continues it with as many again. At least 1; `Infinity` where your clients take any number.
   */
  readonly roundsPerCall: number;
  /** What a client is made to carry for a call between two requests, in bytes: 256 KiB. */
  readonly stateBytes: number;
  /** What a store keeps of one run, by count of what it was told and what it did: 100,000. */
  readonly records: number;
  /**
   * Runs that this process continues at once without their clients, because they were answered in the inbox or have expired: 1,000.
   * More of them wait. A run counts while its tool works, and not while it waits for an answer.
   */
  readonly unattendedRuns: number;
  /** The same, of one principal (of one network address, without a name): 100. Keep it below `unattendedRuns`: then no principal can delay the runs of another. */
  readonly unattendedRunsPerPrincipal: number;
  /** What came of requests with a state, kept for clients that send the same again: 10,000. */
  readonly outcomes: number;
  /** The same in bytes of memory, as JSON: 64 MiB. */
  readonly outcomeBytes: number;
  /** Pages open at once, each for one question: 10,000. */
  readonly pages: number;
  /** The same, of one principal: 2,000. */
  readonly pagesPerPrincipal: number;
  /** The size of a file that is uploaded to a page, where its question does not say, in bytes: 100 MB. */
  readonly uploadBytes: number;
}

export const defaultLimits: Limits = {
  runsPerSession: 100,
  asksPerSession: 100,
  messageBytes: 4 * 1024 * 1024,
  messageValues: 60_000,
  messageKeys: 30_000,
  batch: 1000,
  connections: 20_000,
  connectionsPerAddress: 5000,
  sessions: 10_000,
  sessionsPerPrincipal: 2000,
  bytes: 512 * 1024 * 1024,
  bytesPerPrincipal: 128 * 1024 * 1024,
  queueBytes: 16 * 1024 * 1024,
  events: 1000,
  subscriptions: 1000,
  exchanges: 10_000,
  exchangesPerPrincipal: 2000,
  parked: 50_000,
  parkedPerPrincipal: 10_000,
  roundsPerCall: 10,
  stateBytes: 256 * 1024,
  records: 100_000,
  unattendedRuns: 1000,
  unattendedRunsPerPrincipal: 100,
  outcomes: 10_000,
  outcomeBytes: 64 * 1024 * 1024,
  pages: 10_000,
  pagesPerPrincipal: 2000,
  uploadBytes: 100_000_000,
};

/** Default times that are also flags of `photon serve`. */
export const defaultTimes = { idle: "30m", parkedFor: "7d", minReadingTime: "300ms" } as const;

export interface Settings {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  /** The newest revision to speak: 2026-07-28, which stands beside the session revisions. */
  readonly maxRevision: Revision;
  /** How long a question stays open that does not say. */
  readonly askTimeout?: Timeout;
  /** How long a closed body may take to end. */
  readonly grace?: Duration;
  readonly answerers: readonly Answerer[];
  readonly limits: Limits;
  /** How long a session may be idle before it is closed, in milliseconds. */
  readonly idle: number;
  /**
   * Keys for the state that clients carry and for what a store keeps: the first encrypts, each of them decrypts. To change keys,
   * add the new one last in every process, then move it to the front in every process, then remove the old one when
   * everything that it encrypted has expired. Without keys, the server creates one that no other process has.
   */
  readonly keys: readonly string[];
  /** Whether a state is good for one request only, even where that is sent again. */
  readonly singleUse: boolean;
  /** Where the runs of durable tools are kept, so that they outlast this process. It needs `keys`. */
  readonly store?: Store;
  /** How long a run stays with a process that has died before another goes on with it, in milliseconds. */
  readonly lease: number;
  /** What becomes of a question that its client cannot show, where neither the ask nor its tool says: it fails. */
  readonly whenUnsupported: WhenUnsupported;
  /** Whether a client that seems not to show questions to anybody is taken for one that cannot. */
  readonly distrust: boolean;
  /**
   * The shortest time in which a person can read a question, in milliseconds. A decline or cancel that a client sends sooner is
   * not a person's: where a page, a model's relay or the inbox is enabled, the question is asked there instead. 0: every reply counts.
   */
  readonly minReadingTime: number;
  /** Is told of every question: who was asked what, and what was said. Where it fails, that is reported, and the call goes on. */
  readonly audit?: Audit;
  /** Where this server is reached from outside, for the links to its pages: `https://photon.example.com/tools`. */
  readonly publicUrl?: string;
  /** How long a call waits for the answer to a question without an end, in milliseconds. */
  readonly parkedFor: number;
  /** How long clients may keep lists and the discovery, in milliseconds. */
  readonly cacheFor: number;
  readonly clock: Clock;
  /** Hears of everything that goes wrong and is nobody's answer; stderr, without one. */
  readonly report: (error: unknown) => void;
  /** Hears of everything that is logged, and by which tool, whatever clients want to hear of it. */
  readonly log?: (entry: Log, tool: string) => void;
}

/** What may be given; the rest has its default. */
export interface GivenSettings extends Partial<
  Omit<Settings, "idle" | "lease" | "limits" | "minReadingTime" | "parkedFor" | "cacheFor">
> {
  readonly limits?: Partial<Limits>;
  /** How long a session may be idle before it is closed: `"30m"`, without this. */
  readonly idle?: Duration;
  /** How long a call of 2026-07-28 waits for the answer to a question without an end: `"7d"`, without this. */
  readonly parkedFor?: Duration;
  /** How long a run stays with a process that has died before another goes on with it: `"5s"`, without this. */
  readonly lease?: Duration;
  /** How long clients of 2026-07-28 may keep lists and the discovery: not at all, without this. */
  readonly cacheFor?: Duration;
  /**
   * A decline or cancel that a client sends sooner than this after it was asked is not a person's: `"300ms"`, without this.
   * Where a page, a model's relay or the inbox is enabled, the question is asked there instead. `"none"`: every reply counts.
   */
  readonly minReadingTime?: Timeout;
}

/** A whole set of settings from what was given. */
export function settingsFrom(given: GivenSettings): Settings {
  const {
    log,
    audit,
    limits = {},
    idle = defaultTimes.idle,
    parkedFor = defaultTimes.parkedFor,
    cacheFor,
    lease = "5s",
    ...others
  } = given;
  const { minReadingTime = defaultTimes.minReadingTime, ...rest } = others;
  const report = quietly(rest.report ?? toStderr);
  const keys = rest.keys ?? keysIn(process.env["PHOTON_KEYS"]);
  if (rest.store !== undefined && keys.length === 0)
    throw new InvalidDefinition(
      "A store needs keys, which seal what is kept there: PHOTON_KEYS, or keys; make one with: openssl rand -base64 32",
    );
  return {
    name: "photon",
    version: "0.1.0",
    maxRevision: MODERN,
    singleUse: false,
    whenUnsupported: "fail",
    distrust: false,
    answerers: [],
    clock: systemClock,
    ...present(rest),
    keys,
    lease: milliseconds(lease, "The lease of a server"),
    minReadingTime:
      minReadingTime === "none" ? 0 : milliseconds(minReadingTime, "The minReadingTime of a server"),
    idle: milliseconds(idle, "The idle of a server"),
    parkedFor: milliseconds(parkedFor, "The parkedFor of a server"),
    cacheFor: cacheFor === undefined ? 0 : milliseconds(cacheFor, "The cacheFor of a server"),
    report,
    ...(log === undefined ? {} : { log: quietly(log) }),
    ...(audit === undefined ? {} : { audit: reporting(audit, report) }),
    limits: limitsFrom(limits),
  };
}

/** Tells somebody; a failure of their own is nobody else's, and nobody is left to be told of it. */
function quietly<Told extends unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  return (...told) => {
    try {
      tell(...told);
    } catch {
      // See above.
    }
  };
}

/** Tells somebody; their failure, then or later, is reported. */
function reporting<Told extends unknown[]>(
  tell: (...told: Told) => unknown,
  report: (error: unknown) => void,
): (...told: Told) => void {
  return (...told) => {
    try {
      Promise.resolve(tell(...told)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}

function limitsFrom(given: Partial<Limits>): Limits {
  for (const [name, limit] of Object.entries(present(given))) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new InvalidDefinition(
        `There is no limit ${JSON.stringify(name)}; there is ${Object.keys(defaultLimits).join(", ")}.`,
      );
    }
    if (!(typeof limit === "number" && limit >= 0)) {
      throw new InvalidDefinition(`The limit ${name} is a number from 0, not ${String(limit)}.`);
    }
  }
  return { ...defaultLimits, ...present(given) };
}

/** What went wrong, for whoever reads stderr: not stdout, which is the protocol's. */

function toStderr(error: unknown): void {
  process.stderr.write(entryOf(error));
}

/** One entry: its first line begins it, all others are indented. So nothing that was said can pass for an entry, or move the cursor. */
export function entryOf(error: unknown): string {
  const [first = "", ...others] = inspect(error).split("\n").map(escapeLine);
  return [first, ...others.map((line) => `    ${line}`), ""].join("\n");
}

/** Tabs stay: they indent what `inspect` shows. */
const escapeLine = (line: string): string => line.split("\t").map(escapeForLog).join("\t");

/**
 * Text that goes into a log as part of one line: control characters, marks that change the direction of text, and whatever else
 * ends a line are written as escapes, `\n` or `\u001b`. `toStderr` uses it, and the log of `photon serve`.
 *
 * What a terminal shows of a tool or a server is cleaned by another list (packages/cli/src/terminal/clean-text.ts), which also
 * leaves out what is not seen, and keeps lines and tabs. A character that is dangerous in both belongs to both.
 */
const UNSAFE = "[\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]";
const unsafe = new RegExp(UNSAFE, "g");

export function escapeForLog(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    if (character === "\n") return String.raw`\n`;
    if (character === "\t") return String.raw`\t`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
