/**
 * The chaos run: clients of both eras call durable tools for some time, while the servers and their store suffer faults.
 *
 * What must hold afterwards is counted, and every count is zero where all is right:
 *   1. No step is done twice. A step that was looked up may be attempted again if a fault came between.
 *   2. An answer that the inbox has taken is the one that its run was given; no run is given an answer to another question.
 *   3. No call ends with an error. A step that is reported as unknown is none, if a fault explains it.
 *   4. Every run that has asked or done anything comes to its end, and its client is given that result.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { connectStateless, connectSession, Tally, type Connection } from "../callers.ts";
import { Deployment, type StoreKind } from "../deployment.ts";
import { runIn, type InboxRun } from "../inbox.ts";
import { startProxy } from "../proxy.ts";
import { Random } from "../../../packages/server/test/wire/random.ts";
import { faultKinds, Faults, LEASE_MS, type FaultKind } from "./faults.ts";
import { Users } from "./users.ts";

export interface ChaosOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly store: StoreKind;
  /** How many server processes there are at a time. */
  readonly nodes: number;
  /** The kinds of faults; all of them, without this. */
  readonly kinds?: readonly FaultKind[];
}

export interface ChaosReport {
  /** One line for people. */
  readonly summary: string;
  /** Everything that must not be. */
  readonly problems: readonly string[];
  /** The file with what happened when. */
  readonly logFile: string;
}

/** What a run has ended with, as far as the tools say it. */
interface RunResult {
  readonly token: string;
  readonly answers: readonly string[];
  readonly steps: readonly string[];
}

/** A call that its client knows the end of. */
interface EndedCall {
  readonly token: string;
  readonly result?: RunResult;
  readonly isUnknown?: boolean;
  readonly error?: string;
}

interface Attempt {
  readonly key: string;
  readonly token: string;
  readonly pid: number;
  readonly at: number;
}

const TOOLS = ["reports", "fails", "looks-up", "releases"] as const;
/** Of each era. */
const CLIENTS = 6;
/** How long calls and runs may take to end after the last fault. */
const MAX_DRAIN_MS = 60_000;
/** How long a run may work on from its last answer. */
const MAX_SETTLE_MS = 20_000;
const LOOK_MS = 500;
const UNKNOWN = /began, and its outcome was not recorded/;

/** Redis writes everything to its disk before it acknowledges it, so that a restart loses nothing. */
const REDIS = ["--appendonly", "yes", "--appendfsync", "always"];

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { minutes, seed, store, nodes, kinds = faultKinds } = options;
  const logFile = join(tmpdir(), `photon-chaos-${seed}-${store.toLowerCase()}.log`);
  const log = (event: object): void =>
    appendFileSync(logFile, `${JSON.stringify({ at: Date.now(), ...event })}\n`);
  writeFileSync(logFile, "");
  log(options);
  const deployment = await Deployment.create(store, {
    tools: "chaos/tools.mjs",
    lease: `${LEASE_MS}ms`,
    redis: REDIS,
  });
  const faults = new Faults(deployment, new Random(seed), kinds, log);
  await faults.start(nodes);
  const balancer = await startProxy(() => faults.urls);
  const users = new Users(balancer.url, new Random(seed + 1), log);
  const clients = new Clients(balancer.url, users, new Random(seed + 2), log);
  try {
    const calling = clients.callUntilStopped();
    const answering = answerForgotten(users, clients);
    await faults.inflict(performance.now() + minutes * 60_000);
    clients.stop();
    log({ faults: "over" });
    await Promise.race([calling, pause(MAX_DRAIN_MS, undefined, { ref: false })]);
    clients.abandon();
    await answering;
    const attempts = deployment.lines("attempts").map((line) => JSON.parse(line) as Attempt);
    const ends = await endsOf(balancer.url, users, attempts);
    return reportOf(options, { faults, users, clients, attempts, ends, logFile });
  } finally {
    await balancer.end();
    await deployment.close();
  }
}

/** Answers what no client answers, until the clients have ended. */
async function answerForgotten(users: Users, clients: Clients): Promise<void> {
  while (!clients.hasEnded) {
    await users.answerForgotten(false);
    await pause(LOOK_MS);
  }
}

class Clients {
  readonly tally = new Tally();
  readonly ended: EndedCall[] = [];
  /** The calls that are open. */
  readonly open = new Set<string>();
  readonly #url: string;
  readonly #users: Users;
  readonly #random: Random;
  readonly #log: (event: object) => void;
  #isStopped = false;
  #running = 2 * CLIENTS;

  constructor(url: string, users: Users, random: Random, log: (event: object) => void) {
    this.#url = url;
    this.#users = users;
    this.#random = random;
    this.#log = log;
  }

  get hasEnded(): boolean {
    return this.#running <= 0;
  }

  /** Calls one tool after another on every client. */
  async callUntilStopped(): Promise<void> {
    await Promise.all(
      Array.from({ length: CLIENTS }).flatMap((_, index) => [
        this.#callOn(`session-${index}`, () =>
          connectSession(this.#url, {
            tally: this.tally,
            answer: (question) => this.#users.answerOnSession(question),
          }),
        ),
        this.#callOn(`modern-${index}`, () =>
          connectStateless(this.#url, {
            tally: this.tally,
            answer: (question) => this.#users.answerInModern(question),
            patience: () => (this.#random.next() < 0.1 ? this.#random.between(100, 800) : undefined),
            sendsInterruptedAgain: true,
          }),
        ),
      ]),
    );
  }

  /** No new calls. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Waits for no call any longer. */
  abandon(): void {
    this.#running = 0;
  }

  async #callOn(name: string, connect: () => Promise<Connection>): Promise<void> {
    let connection = await connect();
    for (let number = 1; !this.#isStopped; number += 1) {
      const tool = this.#random.pick(TOOLS);
      const ended = await this.#call(connection, tool, `${tool}-${name}-${number}`);
      this.ended.push(ended);
      this.#log({ ended });
      // After an error it is not known in what state a client is.
      if (ended.error !== undefined) connection = await connect();
    }
    this.#running -= 1;
  }

  async #call(connection: Connection, tool: string, first: string): Promise<EndedCall> {
    for (let token = first; ; token = `${token}+`) {
      this.#log({ call: token });
      this.open.add(token);
      try {
        const result = await connection.call(tool, token);
        if (result !== undefined) return endedCall(token, result);
      } catch (error) {
        return { token, error: String(error) };
      } finally {
        this.open.delete(token);
      }
    }
  }
}

function endedCall(token: string, result: object): EndedCall {
  const { structuredContent, isError, content } = result as InboxRun["result"] & {
    readonly content?: unknown;
  };
  if (isError !== true) return { token, result: structuredContent as RunResult };
  const text = JSON.stringify(content);
  return UNKNOWN.test(text) ? { token, isUnknown: true } : { token, error: text };
}

/** What the inbox says of every run, once nothing changes any more. */
async function endsOf(
  url: string,
  users: Users,
  attempts: readonly Attempt[],
): Promise<ReadonlyMap<string, InboxRun | undefined>> {
  const ends = new Map<string, InboxRun | undefined>();
  let deadline = performance.now() + MAX_SETTLE_MS;
  for (;;) {
    const open = await users.answerForgotten(true);
    for (const run of [...users.runs, ...attempts.map(({ key }) => runOf(key))])
      if (!hasEnded(ends.get(run))) ends.set(run, await runIn(url, run).catch(() => undefined));
    const isOver = open === 0 && [...ends.values()].every(hasEnded);
    if (open > 0) deadline = performance.now() + MAX_SETTLE_MS;
    if (isOver || performance.now() > deadline) return ends;
    await pause(LOOK_MS);
  }
}

const hasEnded = (run: InboxRun | undefined): boolean =>
  run?.result !== undefined || run?.error !== undefined;

const runOf = (key: string): string => key.replace(/\/.*$/, "");

interface Observed {
  readonly faults: Faults;
  readonly users: Users;
  readonly clients: Clients;
  readonly attempts: readonly Attempt[];
  readonly ends: ReadonlyMap<string, InboxRun | undefined>;
  readonly logFile: string;
}

function reportOf(
  { minutes, seed, store, nodes }: ChaosOptions,
  { faults, users, clients, attempts, ends, logFile }: Observed,
): ChaosReport {
  const results = resultsIn(ends);
  const unknown = unknownIn(ends, attempts, faults);
  const problems = {
    "steps done twice": doneTwice(attempts, faults),
    "unexplained unknown steps": unknown.unexplained,
    "answers lost": lostAnswers(users, results),
    "answers of other questions": misplacedAnswers(users, results),
    "errors to clients": [
      ...clients.ended.flatMap(({ token, error }) => (error === undefined ? [] : [`${token}: ${error}`])),
      ...users.problems,
    ],
    "runs ended with an error": endedWithError(ends),
    "wrong results to clients": wrongResults(clients.ended, ends),
    "runs never ended": neverEnded(ends, attempts, users, clients.tally),
    "calls never answered": [...clients.open],
    "faults that went wrong": faults.problems,
  };
  const { kill, suspend, terminate, store: outages } = faults.counts;
  const { tally } = clients;
  const summary = [
    `chaos: ${Number(minutes.toFixed(2))} min, seed ${seed}, ${store}, nodes: ${nodes}`,
    `faults: ${kill} kill -9, ${suspend} SIGSTOP, ${terminate} SIGTERM, ${outages} store`,
    `${ends.size} runs, ${clients.ended.length} calls, answers: ${users.byClient} by client, ${users.taken.length} in the inbox`,
    `sent again: ${tally.sentAgain}, interrupted: ${tally.interrupted}, made anew: ${tally.withoutResponse.length + tally.notKept.length}, unknown steps: ${unknown.count}`,
    Object.entries(problems)
      .map(([name, list]) => `${name}: ${list.length}`)
      .join(", "),
  ].join("; ");
  const all = Object.entries(problems).flatMap(([name, list]) => list.map((one) => `${name}: ${one}`));
  return { summary, problems: all, logFile };
}

/** The results of the runs that have ended with one, by run. */
function resultsIn(ends: Observed["ends"]): ReadonlyMap<string, RunResult> {
  const found = [...ends].flatMap(([run, end]) => {
    const result = end?.result?.structuredContent as RunResult | undefined;
    return result === undefined ? [] : [[run, result] as const];
  });
  return new Map(found);
}

/** Runs that have not ended, except those of which no client knows: it was sent no response, and the run has asked nothing. */
function neverEnded(
  ends: Observed["ends"],
  attempts: readonly Attempt[],
  users: Users,
  tally: Tally,
): readonly string[] {
  const unknownToClients = new Set(tally.withoutResponse);
  const tokens = new Map(attempts.map(({ key, token }) => [runOf(key), token]));
  return [...ends].flatMap(([run, end]) => {
    const token = tokens.get(run) ?? "";
    const isExcused = !users.runs.has(run) && unknownToClients.has(token);
    return hasEnded(end) || isExcused ? [] : [`${run} (${token}): ${JSON.stringify(end)}`];
  });
}

/** Steps that were attempted more than once; one that a tool looks up may be, if a fault explains it. */
function doneTwice(attempts: readonly Attempt[], faults: Faults): readonly string[] {
  return [...byKey(attempts)].flatMap(([key, [first, ...more]]) => {
    if (first === undefined || more.length === 0) return [];
    const isLookedUp = first.token.startsWith("looks-up");
    const isExplained = isLookedUp && faults.explains(first.pid, first.at);
    return isExplained ? [] : [`${key}: ${JSON.stringify([first, ...more])}`];
  });
}

/** Steps that a run reports as unknown, and those that no fault explains. */
function unknownIn(
  ends: Observed["ends"],
  attempts: readonly Attempt[],
  faults: Faults,
): { readonly count: number; readonly unexplained: readonly string[] } {
  const attempted = byKey(attempts);
  const unknown = [...ends].flatMap(([run, end]) => unknownKeysOf(run, end));
  const unexplained = unknown.filter((key) => {
    const [attempt] = attempted.get(key) ?? [];
    return !faults.explains(attempt?.pid, attempt?.at);
  });
  return { count: unknown.length, unexplained };
}

/** The keys of the steps that a run reports as unknown. */
function unknownKeysOf(run: string, end: InboxRun | undefined): readonly string[] {
  const result = end?.result;
  if (result === undefined) return [];
  if (result.isError === true) {
    const [, key] = /\(key ([^)]*)\)/.exec(JSON.stringify(result)) ?? [];
    return key === undefined ? [] : [key];
  }
  const { token = "", steps = [] } = (result.structuredContent ?? {}) as Partial<RunResult>;
  const names = token.startsWith("releases") ? ["reserve", "release"] : ["send", "pay"];
  return names.filter((_, index) => steps[index] === "unknown").map((name) => `${run}/${name}`);
}

/** Answers that the inbox has taken, and that the run was not given. */
const lostAnswers = (users: Users, results: ReadonlyMap<string, RunResult>): readonly string[] =>
  users.taken
    .filter(({ run, answer }) => results.get(run)?.answers.includes(answer) === false)
    .map(({ run, answer }) => `${run}: ${answer}, and was given ${results.get(run)?.answers.join(" ")}`);

/** Answers in results that no user gave to that question. */
const misplacedAnswers = (users: Users, results: ReadonlyMap<string, RunResult>): readonly string[] =>
  [...results].flatMap(([run, { token, answers }]) =>
    answers
      .filter((answer, index) => users.given.get(`${token}/${index + 1}`)?.has(answer) !== true)
      .map((answer) => `${run} (${token}): ${answer}`),
  );

const endedWithError = (ends: Observed["ends"]): readonly string[] =>
  [...ends].flatMap(([run, end]) => {
    const isWrong =
      end?.error !== undefined ||
      (end?.result?.isError === true && !UNKNOWN.test(JSON.stringify(end.result)));
    return isWrong ? [`${run}: ${JSON.stringify(end)}`] : [];
  });

/** Calls whose client was given another result than a run of the same call has in the store. */
function wrongResults(ended: readonly EndedCall[], ends: Observed["ends"]): readonly string[] {
  const results = [...resultsIn(ends).values()];
  return ended.flatMap(({ token, result }) => {
    const isRight = result === undefined || results.some((kept) => isDeepStrictEqual(kept, result));
    return isRight ? [] : [`${token}: ${JSON.stringify(result)}`];
  });
}

function byKey(attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> {
  const found = new Map<string, Attempt[]>();
  for (const attempt of attempts) found.set(attempt.key, [...(found.get(attempt.key) ?? []), attempt]);
  return found;
}
