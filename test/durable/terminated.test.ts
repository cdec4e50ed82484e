/**
 * A process is told to end (SIGTERM) while the body of a durable tool works: inside a step, or between steps.
 *
 * The run has not ended. A client on a session comes back with Last-Event-ID to another process; a request of 2026-07-28 is
 * answered with a state and no questions, with which the client sends it again. A call of a tool that is not durable ends.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { inTurn } from "../long.ts";
import { verifies } from "../requirements.ts";
import { callAndAnswer, post, type CallResponse } from "../restart/stateless-calls.ts";
import { Deployment, hosts, storeKinds, type Host, type StoreKind } from "./deployment.ts";
import { openMessages } from "./inbox.ts";
import { Later } from "./later.ts";
import { startProxy } from "./proxy.ts";
import type { ServerProcess } from "./server-process.ts";
import { never, SessionClient } from "./session-client.ts";

const soon = { timeout: 15_000 };

const deployments: readonly (readonly [Host, StoreKind])[] = [
  ["createServer", "SQLite"],
  ["createServer", "Redis"],
  ["photon serve", "SQLite"],
];

async function deploy(host: Host, kind: StoreKind) {
  const deployment = await Deployment.create(kind, { tools: "shipping.mjs", host, grace: "2s" });
  onTestFinished(() => deployment.close());
  const [first, second] = await Promise.all([deployment.start(), deployment.start()]);
  return { deployment, first, second };
}

/** A client that a balancer leads to the first process until `switchOver`, and then to the second. */
async function connectBalanced(
  { first, second }: { readonly first: ServerProcess; readonly second: ServerProcess },
  answer: (message: string) => boolean | Promise<boolean>,
  send: typeof fetch = fetch,
) {
  let target = first;
  const balancer = await startProxy(() => [target.url]);
  onTestFinished(() => balancer.end());
  const client = await SessionClient.connect(balancer.url, { answer, fetch: send });
  onTestFinished(() => client.close());
  return { client, switchOver: () => (target = second) };
}

/** Sends SIGTERM; settles when the server has begun to close. */
async function beginToTerminate(server: ServerProcess): Promise<void> {
  void server.terminate();
  await expect.poll(() => isReady(server.url), soon).toBe(false);
}

/** Whether a server has been told to close, by its own words: it is not ready either while its store is away. */
const isClosing = (server: ServerProcess): Promise<string> =>
  server.command("closing").catch((error: unknown) => (server.hasExited ? "true" : String(error)));

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const shipped = { packed: "pack done", sure: true, delivered: "deliver done" };

/** The result with which a client sends its request again: a state, and nothing that has to be answered. */
const retry = { resultType: "input_required", requestState: expect.any(String) as string };

// The deployments share the places of each test, and the stores and hosts the tests below, unless all are tried.
describe.each(deployments)("with %s on %s", (host, kind) => {
  const turn = deployments.findIndex((one) => one[0] === host && one[1] === kind);

  it.each(inTurn(["pack", "after pack"], turn, 3))(
    verifies(["E1", "E2"], 'a session is asked by another process after a SIGTERM at "%s"'),
    async (place) => {
      const { deployment, first, second } = await deploy(host, kind);
      const sure = new Later<boolean>();
      const { client, switchOver } = await connectBalanced({ first, second }, () => sure.given);
      deployment.closeGate(place);
      const outcome = client.call("ship");
      await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);

      switchOver();
      await beginToTerminate(first);
      deployment.openGate(place);
      await first.exited;

      await client.untilAsked("Ship it?");
      expect(await openMessages(second.url)).toEqual(["Ship it?"]);
      sure.give(true);
      expect(await outcome).toMatchObject({ result: { structuredContent: shipped } });
      expect(deployment.steps).toEqual(["pack", "deliver"]);
    },
  );

  it.each(inTurn(["deliver", "after deliver"], turn + 1, 3))(
    verifies(["E1", "E2"], 'a session is given its result by another process after a SIGTERM at "%s"'),
    async (place) => {
      const { deployment, first, second } = await deploy(host, kind);
      const { client, switchOver } = await connectBalanced({ first, second }, () => true);
      deployment.closeGate(place);
      const outcome = client.call("ship");
      await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);

      switchOver();
      await beginToTerminate(first);
      deployment.openGate(place);

      expect(await outcome).toMatchObject({ result: { structuredContent: shipped } });
      expect(client.asked).toEqual(["Ship it?"]);
      expect(deployment.steps).toEqual(["pack", "deliver"]);
    },
  );

  const inSteps = [
    ["pack", 0],
    ["deliver", 1],
  ] as const;
  it.each(inTurn(inSteps, turn + 2, 3))(
    verifies(
      ["E1", "E2", "C5"],
      'a request of 2026-07-28 is answered with a state after a SIGTERM in the step "%s", and continues in another process',
    ),
    async (place, terminatedAt) => {
      const { deployment, first, second } = await deploy(host, kind);

      const responses = await callAndAnswer("ship", {}, { sure: true }, async (call, leg) => {
        if (leg !== terminatedAt) return post((leg < terminatedAt ? first : second).url, call);
        deployment.closeGate(place);
        const response = post(first.url, call);
        await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);
        await beginToTerminate(first);
        deployment.openGate(place);
        return response;
      });

      expect(responses[terminatedAt]?.result).toMatchObject(retry);
      expect(responses.at(-1)?.result).toMatchObject({ resultType: "complete", structuredContent: shipped });
      expect(deployment.steps).toEqual(["pack", "deliver"]);
    },
  );

  const betweenSteps = [
    ["after pack", 0],
    ["after deliver", 1],
  ] as const;
  it.each(inTurn(betweenSteps, turn, 3))(
    verifies(
      ["E1", "E2", "C5"],
      'a request of 2026-07-28 is answered with a state after a SIGTERM at "%s", and continues in another process',
    ),
    async (place, terminatedAt) => {
      const { deployment, first, second } = await deploy(host, kind);

      const responses = await callAndAnswer("ship", {}, { sure: true }, async (call, leg) => {
        if (leg !== terminatedAt) return post((leg < terminatedAt ? first : second).url, call);
        deployment.closeGate(place);
        const response = post(first.url, call);
        await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);
        void first.terminate();
        const shed = await response;
        deployment.openGate(place);
        return shed;
      });

      expect(responses[terminatedAt]?.result).toMatchObject(retry);
      expect(responses[terminatedAt]?.result?.inputRequests).toBeUndefined();
      expect(responses.at(-1)?.result).toMatchObject({ resultType: "complete", structuredContent: shipped });
      expect(deployment.steps).toEqual(["pack", "deliver"]);
    },
  );
});

describe.each(storeKinds)("on %s", (kind) => {
  const turn = storeKinds.indexOf(kind);

  it(
    verifies(
      ["C9", "E2"],
      "a session's call whose first step waits for the store at a SIGTERM continues in another process, or is told that nothing is kept",
    ),
    async () => {
      const { deployment, first, second } = await deploy("createServer", kind);
      const notKept = new Later<string>();
      const { client, switchOver } = await connectBalanced(
        { first, second },
        () => true,
        async (url, init) => {
          const response = await fetch(url, init);
          if (response.status === 400) notKept.give("nothing is kept");
          return response;
        },
      );
      const release = await deployment.holdStore();
      const outcome = client.call("ship");
      await client.begun;

      switchOver();
      void first.terminate();
      await expect.poll(() => isClosing(first), soon).toBe("true");
      release();

      const came = await Promise.race([outcome, notKept.given]);
      const begun = { result: expect.objectContaining({ structuredContent: shipped }) as object };
      expect([
        [begun, ["pack", "deliver"]],
        ["nothing is kept", []],
      ]).toContainEqual([came, deployment.steps]);
    },
  );

  it.each(inTurn(["drive", "after reserve"], 2 * turn, 4))(
    verifies(
      ["E1", "E2"],
      'a step in a finally block is done at the end of the run, and not at a SIGTERM at "%s", on a session',
    ),
    async (place) => {
      const { deployment, first, second } = await deploy("createServer", kind);
      const full = new Later<boolean>();
      const { client, switchOver } = await connectBalanced({ first, second }, () => full.given);
      deployment.closeGate(place);
      const outcome = client.call("rent");
      await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);

      switchOver();
      await beginToTerminate(first);
      deployment.openGate(place);
      await first.exited;
      await client.untilAsked("Is the tank full?");

      expect(deployment.steps).toEqual(["reserve", "drive"]);
      full.give(true);
      expect(await outcome).toMatchObject({ result: { structuredContent: { full: true } } });
      expect(deployment.steps).toEqual(["reserve", "drive", "release"]);
    },
  );

  it.each(inTurn(["drive", "after reserve"], 2 * turn + 3, 4))(
    verifies(
      ["E1", "E2"],
      'a step in a finally block is done at the end of the run, and not at a SIGTERM at "%s", in 2026-07-28',
    ),
    async (place) => {
      const { deployment, first, second } = await deploy("createServer", kind);
      let stepsAtQuestion: readonly string[] = [];

      const responses = await callAndAnswer("rent", {}, { full: true }, async (call, leg) => {
        if (call.inputResponses !== undefined) stepsAtQuestion = deployment.steps;
        if (leg > 0) return post(second.url, call);
        deployment.closeGate(place);
        const response = post(first.url, call);
        await expect.poll(() => deployment.waitedAt(place), soon).toEqual([first.pid]);
        await beginToTerminate(first);
        deployment.openGate(place);
        await first.exited;
        return response;
      });

      expect(responses.at(-1)?.result).toMatchObject({ structuredContent: { full: true } });
      expect(stepsAtQuestion).toEqual(["reserve", "drive"]);
      expect(deployment.steps).toEqual(["reserve", "drive", "release"]);
    },
  );
});

describe("a call of a tool that is not durable", () => {
  it.each(inTurn(hosts, 0, 2))(
    verifies(["B8", "D5"], "is told on a session that the server was closed, with %s"),
    async (host) => {
      const { deployment, first } = await deploy(host, "SQLite");
      const client = await SessionClient.connect(first.url, { answer: never });
      onTestFinished(() => client.close());
      deployment.closeGate("count");
      const outcome = client.call("count");
      await expect.poll(() => deployment.waitedAt("count"), soon).toEqual([first.pid]);

      void first.terminate();

      expect(wordsOf(await outcome)).toMatch(/closed/);
    },
  );

  it.each(inTurn(hosts, 1, 2))(
    verifies(["B8", "D5"], "is told in 2026-07-28 that the server was closed, with %s"),
    async (host) => {
      const { deployment, first } = await deploy(host, "SQLite");
      deployment.closeGate("count");
      const response = post(first.url, { name: "count", arguments: {} });
      await expect.poll(() => deployment.waitedAt("count"), soon).toEqual([first.pid]);

      void first.terminate();

      expect(wordsOf(await response)).toMatch(/closed/);
    },
  );
});

/** What a failed call says: the message of its error, or the text of a result that is an error. */
function wordsOf(
  came: Pick<CallResponse, "result" | "error"> | { readonly error: Error } | { readonly result: object },
): string {
  if ("error" in came && came.error !== undefined) return came.error.message;
  const { isError, content = [] } = ("result" in came ? came.result : {}) as {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
  };
  return isError === true ? content.map(({ text = "" }) => text).join(" ") : "";
}
