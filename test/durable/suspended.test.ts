/**
 * A process loses its lease although it lives: it is suspended, its event loop is blocked, or a wall clock is moved.
 *
 * Meanwhile another process continues the run. The first process must not do a step again, end the run, or give its
 * client an error: the client is still connected, and is asked the next question or is given the result.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { inTurn } from "../long.ts";
import { verifies } from "../requirements.ts";
import { callAndAnswer, post, type CallResponse } from "../restart/stateless-calls.ts";
import { Deployment, storeKinds, type StoreKind } from "./deployment.ts";
import { answerInInbox, openMessages, openQuestions } from "./inbox.ts";
import { Later } from "./later.ts";
import type { ServerProcess } from "./server-process.ts";
import { isAnswer, never, SessionClient, type SessionOptions } from "./session-client.ts";

const LEASE_MS = 300;
/** Longer than a lease, and than the interval at which it is renewed. */
const longerThanLease = (): Promise<void> => pause(3 * LEASE_MS);

const soon = { timeout: 15_000 };

const NIGHTS = "How many nights?";
const BREAKFAST = "With breakfast?";
const booked = { nights: 3, paid: "pay done", breakfast: true, sent: "send done" };

/** What happens to a process; gives back what ends it. */
type Fault = (process: ServerProcess, deployment: Deployment) => Promise<() => void>;

const suspend: Fault = async (process) => {
  await process.suspend();
  return () => process.resume();
};

const block: Fault = async ({ url }, deployment) => {
  deployment.closeGate("block");
  const other = await SessionClient.connect(url, { answer: never });
  onTestFinished(() => other.close());
  void other.call("block");
  await expect.poll(() => deployment.waitedAt("block"), soon).toHaveLength(1);
  return () => deployment.openGate("block");
};

async function deploy(kind: StoreKind): Promise<Deployment> {
  const deployment = await Deployment.create(kind, { tools: "booking.mjs", lease: `${LEASE_MS}ms` });
  onTestFinished(() => deployment.close());
  return deployment;
}

/** A client whose call is open at its first question; the test gives the answers to both. */
async function callAtFirstQuestion(url: string, options: Pick<SessionOptions, "fetch"> = {}) {
  const first = new Later<number>();
  const second = new Later<boolean>();
  const client = await SessionClient.connect(url, {
    ...options,
    answer: (message) => (message === NIGHTS ? first.given : second.given),
  });
  onTestFinished(() => client.close());
  const outcome = client.call("book");
  await client.untilAsked(NIGHTS);
  return { client, outcome, first, second };
}

type OpenCall = Awaited<ReturnType<typeof callAtFirstQuestion>>;

/** Answers the first question in the inbox of a process; settles when the second one is open there. */
async function answerFirstIn(url: string): Promise<void> {
  const [question] = await openQuestions(url);
  await answerInInbox(url, question ?? { run: "", key: "" }, 3);
  await expect.poll(() => openMessages(url), soon).toEqual([BREAKFAST]);
}

/** Answers the second question: by the client, where it was asked; else in the inbox of the other process. */
async function answerSecondIn(url: string, { client, second }: OpenCall): Promise<void> {
  const [question] = await openQuestions(url);
  expect(question).toMatchObject({ message: BREAKFAST });
  if (client.asked.includes(BREAKFAST)) second.give(true);
  else if (question !== undefined) await answerInInbox(url, question, true);
}

// The stores share what is tried, unless all is tried on each.
describe.each(storeKinds)(
  "on %s, the client of 2025-11-25 is asked, given its result, and each step is done once",
  (kind) => {
    const turn = storeKinds.indexOf(kind);
    const faults = [
      ["is suspended (SIGSTOP)", suspend],
      ["has a tool that blocks the event loop", block],
    ] as const;

    it.each(inTurn(faults, turn, 2))(
      verifies(["E1", "E4"], "when its process %s, while the question is answered in the inbox of another"),
      async (_, begin) => {
        const deployment = await deploy(kind);
        const [own, other] = await Promise.all([deployment.start(), deployment.start()]);
        const call = await callAtFirstQuestion(own.url);

        const end = await begin(own, deployment);
        await answerFirstIn(other.url);
        end();
        await longerThanLease();

        expect(deployment.steps).toEqual(["pay"]);
        await answerSecondIn(other.url, call);
        expect(await call.outcome).toMatchObject({ result: { structuredContent: booked } });
        expect(deployment.steps).toEqual(["pay", "send"]);
      },
    );

    it.each(inTurn([suspend], turn, 2))(
      verifies(["E1", "E4"], "when its process is suspended, and the client sends the answer to another"),
      async (begin) => {
        const deployment = await deploy(kind);
        const [own, other] = await Promise.all([deployment.start(), deployment.start()]);
        const call = await callAtFirstQuestion(own.url, {
          fetch: (url, init) => fetch(isAnswer(init) ? `${other.url}/mcp` : url, init),
        });

        const end = await begin(own, deployment);
        call.first.give(3);
        await expect.poll(() => openMessages(other.url), soon).toEqual([BREAKFAST]);
        end();
        await longerThanLease();

        expect(deployment.steps).toEqual(["pay"]);
        await answerSecondIn(other.url, call);
        expect(await call.outcome).toMatchObject({ result: { structuredContent: booked } });
        expect(deployment.steps).toEqual(["pay", "send"]);
      },
    );

    const jumps = [
      ["that has the call", 10],
      ["that has the call", 3600],
      ["that has the call", -600],
      ["that takes the answer", 10],
      ["that takes the answer", 3600],
      ["that takes the answer", -600],
    ] as const;
    it.each(inTurn(jumps, 5 * turn, 6))(
      verifies(["E1", "E4"], "when the wall clock of the process %s jumps by %i seconds"),
      async (whose, seconds) => {
        const deployment = await deploy(kind);
        const [own, other] = await Promise.all([
          deployment.start({ hasOwnClock: true }),
          deployment.start({ hasOwnClock: true }),
        ]);
        const call = await callAtFirstQuestion(own.url);

        (whose === "that has the call" ? own : other).moveClock(seconds);
        await longerThanLease();
        await answerFirstIn(other.url);
        await longerThanLease();

        expect(deployment.steps).toEqual(["pay"]);
        await answerSecondIn(other.url, call);
        expect(await call.outcome).toMatchObject({ result: { structuredContent: booked } });
        expect(deployment.steps).toEqual(["pay", "send"]);
      },
    );

    it.each(inTurn([-600], turn + 1, 2))(
      verifies(
        ["E2", "E6"],
        "a run of a killed process is continued soon, although the wall clock jumps by %i seconds",
      ),
      async (seconds) => {
        const deployment = await deploy(kind);
        const [own, other] = await Promise.all([deployment.start(), deployment.start({ hasOwnClock: true })]);
        await callAtFirstQuestion(own.url);

        await own.kill();
        other.moveClock(seconds);
        await answerFirstIn(other.url);

        expect(deployment.steps).toEqual(["pay"]);
      },
    );
  },
);

const answers = { nights: 3, breakfast: true };

/** What a result says for good; nothing, where the client has to send its request again. */
const finalIn = (result: CallResponse["result"]): unknown =>
  result?.resultType === "complete" ? (result.structuredContent ?? result.content) : undefined;

/**
 * A call whose request number `leg` is sent to a process that is suspended at a gate, and then to another. The first process
 * continues when the other has ended the run. `giveUp` ends the request to the first process, as a client with a timeout does.
 */
async function callAroundSuspension(
  deployment: Deployment,
  place: string,
  suspendedAt: number,
  giveUp?: AbortController,
) {
  const [own, other] = await Promise.all([deployment.start(), deployment.start()]);
  let late: Promise<CallResponse | undefined> | undefined;
  const responses = await callAndAnswer("book", {}, answers, async (call, leg) => {
    if (leg !== suspendedAt) return post(leg < suspendedAt ? own.url : other.url, call);
    deployment.closeGate(place);
    late = post(own.url, call, giveUp?.signal).catch(() => undefined);
    await expect.poll(() => deployment.waitedAt(place), soon).toEqual([own.pid]);
    await own.suspend();
    giveUp?.abort();
    const again = post(other.url, call);
    await expect.poll(() => deployment.waitedAt(place), soon).toEqual([own.pid, other.pid]);
    deployment.openGate(place);
    return again;
  });
  own.resume();
  const lateResult = (await late)?.result;
  // A response to a request that was sent later than the process has continued.
  await openQuestions(own.url);
  return { result: responses.at(-1)?.result, lateResult };
}

describe.each(storeKinds)("on %s, a client of 2026-07-28 is given its result by another process", (kind) => {
  const turn = storeKinds.indexOf(kind);
  const places = [
    ["a question", "before breakfast", 1],
    ["a step", "before send", 2],
  ] as const;

  it.each(inTurn(places, turn, 2))(
    verifies(
      ["E1", "E4"],
      "when the one that works on its request is suspended before %s; its late response says nothing else",
    ),
    async (_, place, leg) => {
      const deployment = await deploy(kind);

      const { result, lateResult } = await callAroundSuspension(deployment, place, leg);

      expect(result).toMatchObject({ resultType: "complete", structuredContent: booked });
      expect([undefined, booked]).toContainEqual(finalIn(lateResult));
      expect(deployment.steps).toEqual(["pay", "send"]);
    },
  );

  it.each(inTurn(places, turn + 1, 2))(
    verifies(
      ["E1", "E4"],
      "when the one that works on its request is suspended before %s, and the client hangs up",
    ),
    async (_, place, leg) => {
      const deployment = await deploy(kind);

      const { result } = await callAroundSuspension(deployment, place, leg, new AbortController());
      await longerThanLease();

      expect(result).toMatchObject({ resultType: "complete", structuredContent: booked });
      expect(deployment.steps).toEqual(["pay", "send"]);
    },
  );
});
