/** Two processes on one store, whose PHOTON_KEYS are changed one process after the other, by the steps of docs/deployment.md. */
import { expect, it, onTestFinished, vi } from "vitest";
import { readPage } from "../docs/pages.ts";
import { verifies } from "../requirements.ts";
import { deferred } from "../../packages/server/src/util/timers.ts";
import { acceptBy } from "../clients/answers.ts";
import { connectV1 } from "../clients/connect.ts";
import { httpV1 } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import { post, type CallResponse } from "../restart/stateless-calls.ts";
import { Deployment } from "./deployment.ts";
import type { ServerProcess } from "./server-process.ts";

const SECRETS: { readonly [name: string]: string } = {
  old: "the key that every process has before the change",
  new: "the key that every process has after the change",
};

/** A process is known by its place: the one that is there may have been replaced. */
type Place = 0 | 1;
const PLACES = [0, 1] as const;
const other = (place: Place): Place => (place === 0 ? 1 : 0);

/** The values of PHOTON_KEYS in the table of docs/deployment.md, in order; by the names of the keys. */
function documentedSteps(): readonly string[] {
  const [, section = ""] = readPage("docs/deployment.md").split("### Changing the keys");
  return [...section.matchAll(/^\|[^|]*\| `((?:old|new)(?:,(?:old|new))?)` /gm)].map(([, keys = ""]) => keys);
}

/** Two server processes, until the test is over. */
class Pair {
  readonly #deployment: Deployment;
  readonly #processes: [ServerProcess, ServerProcess];

  private constructor(deployment: Deployment, processes: [ServerProcess, ServerProcess]) {
    this.#deployment = deployment;
    this.#processes = processes;
  }

  static async start(...keys: readonly [string, string]): Promise<Pair> {
    const deployment = await Deployment.create("SQLite", { tools: "order.mjs" });
    onTestFinished(() => deployment.close());
    const [first, second] = keys.map((names) => deployment.start({ keys: secretsOf(names) }));
    if (first === undefined || second === undefined) throw new Error("A pair has two processes.");
    return new Pair(deployment, [await first, await second]);
  }

  urlOf(place: Place): string {
    return this.#processes[place].url;
  }

  async replace(place: Place, keys: string): Promise<void> {
    await this.#processes[place].kill();
    this.#processes[place] = await this.#deployment.start({ keys: secretsOf(keys) });
  }
}

/** The value of PHOTON_KEYS for the names of keys. */
const secretsOf = (names: string): string =>
  names
    .split(",")
    .map((name) => SECRETS[name])
    .join(",");

/** A run of `order` with its first question open. */
interface OpenRun {
  /** The process that asked it. */
  readonly asker: Place;
  readonly token: string;
  /** Answers its three questions through one process, the other, and the one again; gives what the tool was told. */
  finish(through: Place): Promise<unknown>;
}

type Start = (pair: Pair, token: string, asker: Place) => Promise<OpenRun>;

const answerTo = (question: string): string => `the answer to ${question}`;

const answersOf = (token: string): readonly string[] =>
  [1, 2, 3].map((number) => answerTo(`${token}/${number}`));

/** The process that each of the three questions is answered through. */
const throughs = (through: Place): readonly Place[] => [through, other(through), through];

/** By a client of 2026-07-28, which carries the state from one process to the other. */
const startStateless: Start = async (pair, token, asker) => {
  const call = { name: "order", arguments: { token } };
  const asked = await post(pair.urlOf(asker), call);
  return {
    asker,
    token,
    async finish(through) {
      let came = asked;
      for (const place of throughs(through)) {
        came = await post(pair.urlOf(place), { ...call, ...answering(came) });
        if (came.error !== undefined) return came.error;
      }
      return saidIn(came.result);
    },
  };
};

/** What a retry has beside the call: accepts every question. */
function answering({ result }: CallResponse): {
  readonly inputResponses: object;
  readonly requestState?: string;
} {
  const { inputRequests = {}, requestState } = result ?? {};
  const inputResponses = Object.fromEntries(
    Object.entries(inputRequests).map(([key, { params }]) => [
      key,
      { action: "accept", content: { value: answerTo(params.message ?? "") } },
    ]),
  );
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

/** By a client of 2025-11-25 on a session, whose answers go to other processes than its call. */
const startSession: Start = async (pair, token, asker) => {
  const opened = deferred();
  const released = deferred<Place>();
  const connection = httpV1("http://127.0.0.1", {
    async fetch(_, init) {
      const number = questionAnsweredBy(init);
      const place = number === undefined ? asker : throughs(await released.promise)[number - 1];
      return fetch(`${pair.urlOf(place ?? asker)}/mcp`, init);
    },
    reconnection: { delay: 300, attempts: 50 },
  });
  const answer = acceptBy(async (message) => {
    opened.resolve();
    await released.promise;
    return answerTo(message);
  });
  const client = await connectV1(connection, { capabilities: formsOnly, answer });
  const called = client.call("order", { token }, { onBegun() {} });
  await Promise.race([opened.promise, called]);
  return {
    asker,
    token,
    async finish(through) {
      released.resolve(through);
      const { structured, text } = await called;
      return (structured as { readonly answers?: unknown } | undefined)?.answers ?? text;
    },
  };
};

/** Which of the questions a message answers, from 1; undefined for other messages. */
function questionAnsweredBy(init: RequestInit | undefined): number | undefined {
  if (typeof init?.body !== "string") return undefined;
  const [, number] = /"value":"the answer to [^"]*\/(\d)"/.exec(init.body) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Called in 2026-07-28, and answered in the inbox of the processes. */
const startInInbox: Start = async (pair, token, asker) => {
  await post(pair.urlOf(asker), { name: "order", arguments: { token } });
  return {
    asker,
    token,
    async finish(through) {
      for (const [index, place] of throughs(through).entries()) {
        const message = `${token}/${index + 1}`;
        const { run, key } = await vi.waitFor(() => findInInbox(pair.urlOf(place), message), 20_000);
        await answerInInbox(pair.urlOf(place), run, { key, action: "accept", value: answerTo(message) });
        if (index === 2) return saidIn(await vi.waitFor(() => resultInInbox(pair.urlOf(place), run), 20_000));
      }
      return undefined;
    },
  };
};

interface InboxRun {
  readonly run: string;
  readonly questions: readonly { readonly key: string; readonly message: string }[];
}

async function findInInbox(
  url: string,
  message: string,
): Promise<{ readonly run: string; readonly key: string }> {
  const response = await fetch(`${url}/inbox?limit=200`);
  const { runs } = (await response.json()) as { readonly runs: readonly InboxRun[] };
  for (const { run, questions } of runs)
    for (const question of questions) if (question.message === message) return { run, key: question.key };
  throw new Error(`The inbox does not have "${message}".`);
}

async function answerInInbox(url: string, run: string, answer: object): Promise<void> {
  const response = await fetch(`${url}/inbox/${run}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(answer),
  });
  if (!response.ok) throw new Error(`The inbox refused the answer: ${await response.text()}`);
}

async function resultInInbox(url: string, run: string): Promise<unknown> {
  const response = await fetch(`${url}/inbox/${run}`);
  const { result } = (await response.json()) as { readonly result?: unknown };
  if (result === undefined) throw new Error(`The run has not ended: ${run}`);
  return result;
}

/** What the tool was told, or what came instead of it. */
const saidIn = (result: unknown): unknown =>
  (result as { readonly structuredContent?: { readonly answers?: unknown } } | undefined)?.structuredContent
    ?.answers ?? result;

const STARTS = { modern: startStateless, session: startSession, inbox: startInInbox };

/** Starts a run of each kind in each process. */
const startAll = (pair: Pair, name: string): Promise<readonly OpenRun[]> =>
  Promise.all(
    PLACES.flatMap((asker) =>
      Object.entries(STARTS).map(([kind, start]) => start(pair, `${name}, ${kind}, ${asker}`, asker)),
    ),
  );

/** Answers runs through the process that did not ask; expects that the tool was told every answer. */
async function finishAll(runs: readonly OpenRun[]): Promise<void> {
  const said = await Promise.all(
    runs.map(async (run) => [run.token, await run.finish(other(run.asker))] as const),
  );
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(runs.map(({ token }) => [token, answersOf(token)])),
  );
}

it(
  verifies(
    ["E3", "E4", "E6"],
    "a question that one process asks is answered through the other, at every point of a change of keys",
  ),
  { timeout: 300_000 },
  async () => {
    const steps = documentedSteps();
    expect(steps).toEqual(["old", "old,new", "new,old", "new"]);
    const [before = "", ...following] = steps;
    const pair = await Pair.start(before, before);
    await finishAll(await startAll(pair, `${before} and ${before}`));

    let last = before;
    for (const keys of following) {
      for (const place of PLACES) {
        const now = place === 0 ? `${keys} and ${last}` : `${keys} and ${keys}`;
        const open = await startAll(pair, `open before ${now}`);
        await pair.replace(place, keys);
        await finishAll(open);
        await finishAll(await startAll(pair, now));
      }
      last = keys;
    }
  },
);

it(
  verifies("E3", "a process that has only the old key does not go on with what the new key has encrypted"),
  async () => {
    const pair = await Pair.start("old", "new,old");

    const modern = await startStateless(pair, "modern", 1);
    expect(await modern.finish(0)).toEqual({ code: -32602, message: "Invalid or expired requestState." });
    await expect(findInInbox(pair.urlOf(0), "modern/1")).rejects.toThrow("The inbox does not have");
    expect(await findInInbox(pair.urlOf(1), "modern/1")).toMatchObject({ key: "ask-1" });
  },
);
