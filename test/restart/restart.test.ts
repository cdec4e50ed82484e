import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";
import { connectV2 } from "../clients/connect.ts";
import { httpV2 } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import type { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { callAndAnswer, post, type CallResponse } from "./stateless-calls.ts";
import { courseOf, uninterruptedCourse, stepsIn } from "./course.ts";
import { Ledger } from "./ledger.ts";
import { answers, input, runUninterrupted, type UninterruptedRun } from "./uninterrupted.ts";
import { ServerProcess } from "./server-process.ts";

const KEY = "the key that seals for all of them at first";
const NEXT_KEY = "the key that seals from the next release on";
const INVALID = { code: -32602, message: "Invalid or expired requestState." };

const ledger = new Ledger();
let live: UninterruptedRun;

beforeAll(async () => {
  live = await runUninterrupted();
});
beforeEach(() => ledger.erase());
afterAll(() => ledger.remove());

/** A server process, until the test is over. */
async function started(...keys: readonly string[]): Promise<ServerProcess> {
  const server = await ServerProcess.start(ledger.folder, ...keys);
  onTestFinished(() => server.kill());
  return server;
}

/** What was told over all the requests of a run: in words, and whether its figures only ever grew. */
function toldIn(notes: readonly { readonly message?: string | undefined; readonly progress?: number }[]): {
  readonly told: readonly unknown[];
  readonly isIncreasing: boolean;
} {
  const figures = notes.map(({ progress = -1 }) => progress);
  return {
    told: notes.map(({ message }) => message),
    isIncreasing: figures.every((figure, index) => index === 0 || figure > (figures[index - 1] ?? 0)),
  };
}

/** Everything that was seen of a wizard. */
const seen = (responses: readonly CallResponse[]): object => ({
  ...courseOf(responses, ledger),
  ...toldIn(responses.flatMap(({ told }) => told.map(({ params }) => params))),
});

const asLive = (): object => ({ ...uninterruptedCourse(live), told: live.told, isIncreasing: true });

/** A client of the SDK whose every request goes to the next of some servers. */
function connect(servers: readonly ServerProcess[]): Promise<SdkV2Client> {
  let requests = 0;
  const connection = httpV2("http://127.0.0.1", {
    fetch(_, init) {
      const { url = "" } = servers[requests % servers.length] ?? {};
      requests += 1;
      return fetch(`${url}/mcp`, init);
    },
  });
  return connectV2(connection, {
    capabilities: formsOnly,
    // The answers are texts, numbers and booleans.
    answer: ({ key }) => ({ action: "accept", content: { value: answers[key] as string } }),
  });
}

describe("a durable run", { timeout: 30_000 }, () => {
  it(
    verifies(
      ["C6", "E1", "B7"],
      "ends as without interruption when each of its requests goes to another process",
    ),
    async () => {
      const servers = [await started(KEY), await started(KEY)];

      const responses = await callAndAnswer("wizard", input, answers, (call, leg) =>
        post(servers[leg % 2]?.url ?? "", call),
      );

      expect(responses).toHaveLength(7);
      expect(seen(responses)).toEqual(asLive());
      expect(new Set(ledger.done.map(({ pid }) => pid))).toEqual(new Set(servers.map(({ pid }) => pid)));
      // Those that were left behind on the way have not been told of an end.
      expect(ledger.ended).toEqual([servers[0]?.pid]);
    },
  );

  it(verifies(["C6", "C8", "E1"], "ends as without interruption with the client of SDK v2"), async () => {
    const client = await connect([await started(KEY), await started(KEY)]);
    const told: { readonly progress: number; readonly message?: string | undefined }[] = [];

    const { structured } = await client.call("wizard", input, {
      onprogress: (progress) => told.push(progress),
    });

    const { asked, ...expected } = uninterruptedCourse(live);
    expect(asked).toHaveLength(6);
    expect({ result: structured, ...stepsIn(ledger) }).toEqual(expected);
    expect(toldIn(told)).toEqual({ told: live.told, isIncreasing: true });
  });

  it(
    verifies(
      ["C6", "E1"],
      "ends as without interruption when every process that asks is killed before the answer",
    ),
    async () => {
      const responses = await callAndAnswer("wizard", input, answers, async (call) => {
        const server = await started(KEY);
        const came = await post(server.url, call);
        await server.kill();
        return came;
      });

      expect(seen(responses)).toEqual(asLive());
      expect(new Set(ledger.done.map(({ pid }) => pid)).size).toBe(5);
    },
  );

  it(
    verifies(["C6", "E3"], "ends as without interruption when the processes restart with a new first key"),
    async () => {
      const rings = [[KEY], [NEXT_KEY, KEY], [NEXT_KEY]];
      const servers = await Promise.all(rings.map((ring) => started(...ring)));

      const responses = await callAndAnswer("wizard", input, answers, (call, leg) =>
        post(servers[Math.floor(leg / 3)]?.url ?? "", call),
      );

      expect(seen(responses)).toEqual(asLive());
    },
  );

  it(verifies("E3", "is refused by a process without its key"), async () => {
    const [server, stranger] = [await started(KEY), await started(NEXT_KEY)];

    const responses = await callAndAnswer("wizard", input, answers, (call, leg) =>
      post(leg < 2 ? server.url : stranger.url, call),
    );

    expect(responses.at(-1)?.error).toEqual(INVALID);
    expect(ledger.done.map(({ step }) => step)).toEqual(["hold"]);
  });
});

describe("a run that is not durable", { timeout: 30_000 }, () => {
  it(verifies("C6", "continues in its process only: every other process refuses the state"), async () => {
    const [server, other] = [await started(KEY), await started(KEY)];

    const here = await callAndAnswer("hasty", {}, { "ask-1": "Ada" }, (call) => post(server.url, call));
    const there = await callAndAnswer("hasty", {}, { "ask-1": "Ada" }, (call, leg) =>
      post(leg === 0 ? server.url : other.url, call),
    );

    expect(here.at(-1)?.result?.content).toEqual([{ type: "text", text: "Hello, Ada" }]);
    expect(there.at(-1)?.error).toEqual({
      code: -32602,
      message: "The call that this requestState belongs to is over; call again from the start.",
    });
  });
});
