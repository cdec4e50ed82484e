/** The options of createServer() that all parts of a server read, with their defaults. */
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
  omitUndefined,
} from "@photon/core";
import type { Audit } from "./audit.ts";
import { STATELESS_REVISION, type Revision } from "./protocol/revisions.ts";
import { parseKeys } from "./crypto/sealed-box.ts";
import type { Store } from "./stores/store.ts";
import { inspect } from "node:util";
import { defaultLimits, type Limits } from "./limits.ts";

/** Default times that are also flags of `photon serve`. */
export const defaultTimes = { idle: "30m", maxWait: "7d", minReadingTime: "300ms" } as const;

/** In milliseconds in `Settings`; durations in the options of `createServer()`. */
interface Times<Time, TimeOrNone> {
  /** How long a session may be idle before it is closed: `"30m"` without this. */
  readonly idle: Time;
  /** How long a stateless call waits for the answer to a question without timeout: `"7d"` without this. */
  readonly maxWait: Time;
  /** How long a cancelled body may take to end: `"5s"` without this. */
  readonly grace: Time;
  /** How long a process that has died keeps its runs: `"5s"` without this. Then another process continues them. */
  readonly lease: Time;
  /** How long clients of 2026-07-28 may cache lists and `server/discover`: not at all without this. */
  readonly cacheFor: Time;
  /**
   * The shortest time in which a person can read a question: `"300ms"` without this. A decline or cancel that a client sends sooner does
   * not count where pages, models that pass on answers, or the inbox are enabled: the question is asked there instead. `"none"`: every
   * reply counts.
   */
  readonly minReadingTime: TimeOrNone;
}

/** The settings of a server, with every default filled in. */
export interface Settings extends Times<number, number> {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  /** The newest revision that is accepted: 2026-07-28, beside the session revisions. */
  readonly maxRevision: Revision;
  /** Default timeout of questions. Without it core's: 5 minutes, and 7 days for durable tools (runtime/environment.ts). */
  readonly askTimeout?: Timeout;
  readonly answerers: readonly Answerer[];
  readonly limits: Limits;
  /**
   * Keys for the state that clients carry and for the records of a store: the first encrypts, each of them decrypts. To change keys,
   * add the new one last in every process, then move it to the front in every process, then remove the old one when
   * everything that it encrypted has expired. Without keys, the server creates one that no other process has.
   */
  readonly keys: readonly string[];
  /** Whether a `requestState` is accepted once only, also when the same request is sent again. */
  readonly singleUse: boolean;
  /** The store of durable runs. Needs `keys`. */
  readonly store?: Store;
  /** What happens to a question that the client cannot show, unless the ask or its tool says otherwise. */
  readonly whenUnsupported: WhenUnsupported;
  /** Whether a client that seems to answer without a person is treated as one that cannot show questions. */
  readonly distrust: boolean;
  /** Called for every answered question. An error that it throws is reported, and does not fail the call. */
  readonly audit?: Audit;
  /** The public URL of this server, for links to its pages: `https://photon.example.com/tools`. */
  readonly publicUrl?: string;
  readonly clock: Clock;
  /** Called with errors that no client receives in full. Without this, they are written to stderr. */
  readonly report: (error: unknown) => void;
  /** Called with every log message of a tool, at every level. */
  readonly log?: (entry: Log, tool: string) => void;
}

/** The settings of a server as a program gives them; `defaultTimes` and `defaultLimits` have the defaults. */
export interface ServerSettingsInput
  extends Partial<Times<Duration, Timeout>>, Partial<Omit<Settings, "limits" | keyof Times<number, number>>> {
  readonly limits?: Partial<Limits>;
}

const defaults = {
  ...defaultTimes,
  name: "photon",
  version: "0.1.0",
  maxRevision: STATELESS_REVISION,
  singleUse: false,
  whenUnsupported: "fail",
  distrust: false,
  answerers: [],
  grace: "5s",
  lease: "5s",
  cacheFor: "none",
  clock: systemClock,
  report: reportToStderr,
} satisfies { readonly [Name in keyof ServerSettingsInput]: ServerSettingsInput[Name] | "none" };

export function resolveSettings(given: ServerSettingsInput): Settings {
  const { limits, idle, maxWait, grace, lease, cacheFor, minReadingTime, log, audit, ...rest } = {
    ...defaults,
    ...omitUndefined(given),
  };
  const keys = rest.keys ?? parseKeys(process.env["PHOTON_KEYS"]);
  if (rest.store !== undefined && keys.length === 0)
    throw new InvalidDefinition(
      "A store needs keys that encrypt its records: set PHOTON_KEYS, or keys. Create a key with: openssl rand -base64 32",
    );
  const report = ignoreErrors(rest.report);
  return {
    ...rest,
    keys,
    report,
    idle: milliseconds(idle, "The idle of a server"),
    maxWait: milliseconds(maxWait, "The maxWait of a server"),
    grace: milliseconds(grace, "The grace of a server"),
    lease: milliseconds(lease, "The lease of a server"),
    cacheFor: cacheFor === "none" ? 0 : milliseconds(cacheFor, "The cacheFor of a server"),
    minReadingTime:
      minReadingTime === "none" ? 0 : milliseconds(minReadingTime, "The minReadingTime of a server"),
    limits: resolveLimits(limits),
    ...(log === undefined ? {} : { log: ignoreErrors(log) }),
    ...(audit === undefined ? {} : { audit: reportErrors(audit, report) }),
  };
}

/** For callbacks that receive errors and log entries: their own errors have nowhere to go. */
function ignoreErrors<Args extends unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch {
      // Nothing is left to report to.
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

function resolveLimits(given: Partial<Limits> = {}): Limits {
  const limits = omitUndefined(given);
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new InvalidDefinition(
        `There is no limit ${JSON.stringify(name)}; the limits are ${Object.keys(defaultLimits).join(", ")}.`,
      );
    }
    if (!(typeof limit === "number" && limit >= 0)) {
      throw new InvalidDefinition(`The limit ${name} must be a number from 0, not ${String(limit)}.`);
    }
  }
  return { ...defaultLimits, ...limits };
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
 * Control characters, marks that change the direction of text, and characters that end a line.
 *
 * Text from a tool or a server that a terminal shows is cleaned with another list (packages/cli/src/terminal/text.ts), which
 * also drops invisible characters, and keeps lines and tabs. A character that is dangerous in both belongs to both.
 */
const UNSAFE = "[\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]";
const unsafe = new RegExp(UNSAFE, "g");

/** Text as part of one line of a log: unsafe characters become escapes, `\n` or `\u001b`. The log of `photon serve` uses it too. */
export function escapeForLog(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    if (character === "\n") return String.raw`\n`;
    if (character === "\t") return String.raw`\t`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
