/** The options of createServer(), with their defaults. */
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
export const defaultTimes = { idle: "30m", maxWait: "7d", minReadingTime: "300ms" } as const;

export interface Settings {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  /** The newest revision that is accepted: 2026-07-28, beside the session revisions. */
  readonly maxRevision: Revision;
  /** Default timeout of questions. Without it core's: 5 minutes, and 7 days for durable tools (runtime/environment.ts). */
  readonly askTimeout?: Timeout;
  /** How long a cancelled body may take to end. */
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
  /** Whether a `requestState` is accepted once only, also when the same request is sent again. */
  readonly singleUse: boolean;
  /** The store of durable runs. Needs `keys`. */
  readonly store?: Store;
  /** After which time another process continues the run of a process that has died, in milliseconds. */
  readonly lease: number;
  /** What happens to a question that the client cannot show, unless the ask or its tool says so: it fails. */
  readonly whenUnsupported: WhenUnsupported;
  /** Whether a client that seems to answer without a person is treated as one that cannot show questions. */
  readonly distrust: boolean;
  /**
   * The shortest time in which a person can read a question, in milliseconds. A decline or cancel that a client sends sooner is
   * not a person's: where a page, a model's relay or the inbox is enabled, the question is asked there instead. 0: every reply counts.
   */
  readonly minReadingTime: number;
  /** Called for every answered question. Its failure is reported, and does not fail the call. */
  readonly audit?: Audit;
  /** The public URL of this server, for links to its pages: `https://photon.example.com/tools`. */
  readonly publicUrl?: string;
  /** How long a call waits for the answer to a question without timeout, in milliseconds. */
  readonly maxWait: number;
  /** How long clients may cache lists and `server/discover`, in milliseconds. */
  readonly cacheFor: number;
  readonly clock: Clock;
  /** Called with errors that no client receives in full. Writes to stderr without this. */
  readonly report: (error: unknown) => void;
  /** Called with every log message of a tool, at every level. */
  readonly log?: (entry: Log, tool: string) => void;
}

export interface ServerSettingsInput extends Partial<
  Omit<Settings, "idle" | "lease" | "limits" | "minReadingTime" | "maxWait" | "cacheFor">
> {
  readonly limits?: Partial<Limits>;
  /** How long a session may be idle before it is closed: `"30m"`, without this. */
  readonly idle?: Duration;
  /** How long a stateless call waits for the answer to a question without timeout: `"7d"`, without this. */
  readonly maxWait?: Duration;
  /** After which time another process continues the run of a process that has died: `"5s"`, without this. */
  readonly lease?: Duration;
  /** How long clients of 2026-07-28 may cache lists and `server/discover`: not at all, without this. */
  readonly cacheFor?: Duration;
  /**
   * A decline or cancel that a client sends sooner than this after it was asked is not a person's: `"300ms"`, without this.
   * Where a page, a model's relay or the inbox is enabled, the question is asked there instead. `"none"`: every reply counts.
   */
  readonly minReadingTime?: Timeout;
}

export function resolveSettings(given: ServerSettingsInput): Settings {
  const {
    log,
    audit,
    limits = {},
    idle = defaultTimes.idle,
    maxWait = defaultTimes.maxWait,
    cacheFor,
    lease = "5s",
    ...others
  } = given;
  const { minReadingTime = defaultTimes.minReadingTime, ...rest } = others;
  const report = ignoreErrors(rest.report ?? reportToStderr);
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
    maxWait: milliseconds(maxWait, "The maxWait of a server"),
    cacheFor: cacheFor === undefined ? 0 : milliseconds(cacheFor, "The cacheFor of a server"),
    report,
    ...(log === undefined ? {} : { log: ignoreErrors(log) }),
    ...(audit === undefined ? {} : { audit: reportErrors(audit, report) }),
    limits: limitsFrom(limits),
  };
}

/** For callbacks that report errors themselves: there is nothing left to report theirs to. */
function ignoreErrors<Args extends unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch {
      // See above.
    }
  };
}

/** Reports what a callback throws or rejects with. */
function reportErrors<Args extends unknown[]>(
  callback: (...args: Args) => unknown,
  report: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      Promise.resolve(callback(...args)).catch(report);
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

/** Not stdout, which belongs to the protocol. */
function reportToStderr(error: unknown): void {
  process.stderr.write(formatLogEntry(error));
}

/** One log entry: all lines but the first are indented, so that no text can pass for an entry or move the cursor. */
export function formatLogEntry(error: unknown): string {
  const [first = "", ...others] = inspect(error).split("\n").map(escapeLine);
  return [first, ...others.map((line) => `    ${line}`), ""].join("\n");
}

/** Tabs stay: they indent what `inspect` shows. */
const escapeLine = (line: string): string => line.split("\t").map(escapeForLog).join("\t");

/**
 * Text that goes into a log as part of one line: control characters, marks that change the direction of text, and whatever else
 * ends a line are written as escapes, `\n` or `\u001b`. `reportToStderr` uses it, and the log of `photon serve`.
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
