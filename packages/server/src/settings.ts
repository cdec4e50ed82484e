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
import { omitUndefined } from "./util/omit-undefined.ts";
import { parseKeys } from "./crypto/sealed-box.ts";
import type { Store } from "./stores/store.ts";
import { inspect } from "node:util";
import { defaultLimits, type Limits } from "./limits.ts";

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
  readonly grace: Duration;
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
export interface ServerSettingsInput extends Partial<
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
export function resolveSettings(given: ServerSettingsInput): Settings {
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
  const report = swallowErrors(rest.report ?? toStderr);
  const keys = rest.keys ?? parseKeys(process.env["PHOTON_KEYS"]);
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
    grace: "5s",
    clock: systemClock,
    ...omitUndefined(rest),
    keys,
    lease: milliseconds(lease, "The lease of a server"),
    minReadingTime:
      minReadingTime === "none" ? 0 : milliseconds(minReadingTime, "The minReadingTime of a server"),
    idle: milliseconds(idle, "The idle of a server"),
    parkedFor: milliseconds(parkedFor, "The parkedFor of a server"),
    cacheFor: cacheFor === undefined ? 0 : milliseconds(cacheFor, "The cacheFor of a server"),
    report,
    ...(log === undefined ? {} : { log: swallowErrors(log) }),
    ...(audit === undefined ? {} : { audit: reportErrors(audit, report) }),
    limits: limitsFrom(limits),
  };
}

/** Tells somebody; a failure of their own is nobody else's, and nobody is left to be told of it. */
function swallowErrors<Told extends unknown[]>(tell: (...told: Told) => void): (...told: Told) => void {
  return (...told) => {
    try {
      tell(...told);
    } catch {
      // See above.
    }
  };
}

/** Tells somebody; their failure, then or later, is reported. */
function reportErrors<Told extends unknown[]>(
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
  for (const [name, limit] of Object.entries(omitUndefined(given))) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new InvalidDefinition(
        `There is no limit ${JSON.stringify(name)}; there is ${Object.keys(defaultLimits).join(", ")}.`,
      );
    }
    if (!(typeof limit === "number" && limit >= 0)) {
      throw new InvalidDefinition(`The limit ${name} is a number from 0, not ${String(limit)}.`);
    }
  }
  return { ...defaultLimits, ...omitUndefined(given) };
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
