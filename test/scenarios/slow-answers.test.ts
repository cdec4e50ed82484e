/**
 * Users who answer after more than a minute. A client of the SDK ends a call after 60 seconds, unless it is told otherwise.
 *
 * The tests move the clocks of clients and servers together; messages travel in real time. Stdio is not tested here: the
 * clock of a child process cannot be moved.
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { testClock } from "@photon/core/testing";
import { sessionRevisions } from "@photon/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { acceptOnRelease, leaveOpen, noQuestion } from "../clients/answers.ts";
import { verifies } from "../requirements.ts";
import { ServerFixture } from "./fixture.ts";
import { sse, streamableHttp, webSocket } from "./network-transports.ts";
import { sdkAdapter } from "./sdk-adapter.ts";
import type { ScenarioClient } from "./transport.ts";

const HEARTBEAT_MS = 15_000;
/** One transport in every revision, and every transport in the newest. */
const sessions = [
  ...sessionRevisions.map((revision) => [streamableHttp, revision] as const),
  ...[webSocket, sse, sdkAdapter].map((transport) => [transport, "2025-11-25"] as const),
].map(([transport, revision]) => [transport.name, revision, new ServerFixture(transport, revision)] as const);
const stateless = [webSocket, streamableHttp].map(
  (transport) => [transport.name, new ServerFixture(transport, "2026-07-28")] as const,
);

/** From here on, time passes as usual, and when the test advances it. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

/** Advances by four minutes, while heartbeats arrive. */
async function advanceFourMinutes(client: ScenarioClient): Promise<void> {
  for (let beats = 1; beats <= 16; beats += 1) {
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    await client.untilReceived("notifications/progress", beats);
  }
}

describe.each(sessions)("a question over %s in %s that is open for minutes", (_, __, fixture) => {
  it(verifies("B9", "is answered if the client restarts its timeout with every heartbeat"), async () => {
    fakeTimers();
    const question = acceptOnRelease(true);
    const { client } = await fixture.serveOwn(question.answer);
    const heartbeats: number[] = [];

    const calling = client.call(
      "waits",
      {},
      { onprogress: ({ progress }) => heartbeats.push(progress), resetTimeoutOnProgress: true },
    );
    await question.asked;
    await advanceFourMinutes(client);
    question.release();

    await expect(calling).resolves.toMatchObject({ isError: false, text: "true" });
    expect(heartbeats).toHaveLength(16);
    expect(heartbeats).toEqual([...new Set(heartbeats)].toSorted((one, other) => one - other));
  });
});

describe("a question over Streamable HTTP in 2025-11-25", () => {
  it.each([
    ["neither requests progress nor restarts its timeout", {}],
    ["requests progress and does not restart its timeout", { onprogress: () => {} }],
    ["would restart its timeout and requests no progress", { resetTimeoutOnProgress: true }],
  ])(verifies("B9", "is cancelled after a minute by a client that %s"), async (_behaviour, options) => {
    fakeTimers();
    const question = leaveOpen();
    const { client, log } = await new ServerFixture(streamableHttp, "2025-11-25").serveOwn(question.answer);

    const calling = client.call("waits", {}, options).catch((error: unknown) => error);
    await question.asked;
    await vi.advanceTimersByTimeAsync(60_000);

    await expect(calling).resolves.toMatchObject({ code: ErrorCode.RequestTimeout });
    await question.cancelled;
    await log.until((line) => line === "waits ended");
  });
});

describe.each(stateless)("a client over %s in 2026-07-28", (_, fixture) => {
  it(verifies(["B9", "C6"], "waits any time for its user: no request is open meanwhile"), async () => {
    fakeTimers();
    const question = acceptOnRelease(true);
    // The clock of the server stands still: otherwise it would wait for pongs on a socket, which travel in real time.
    const { client } = await fixture.serveOwn(question.answer, testClock());
    const heartbeats: unknown[] = [];

    const calling = client.call("waits", {}, { onprogress: (progress) => heartbeats.push(progress) });
    await question.asked;
    await vi.advanceTimersByTimeAsync(240_000);
    question.release();

    await expect(calling).resolves.toMatchObject({ isError: false, text: "true" });
    expect(heartbeats).toEqual([]);
  });

  it(verifies("B8", "cancels a tool that works for a minute without progress"), async () => {
    fakeTimers();
    const { client, log } = await fixture.serveOwn(noQuestion);

    const calling = client.call("works").catch((error: unknown) => error);
    await log.until((line) => line === "works began");
    await vi.advanceTimersByTimeAsync(60_000);

    await expect(calling).resolves.toMatchObject({ code: "REQUEST_TIMEOUT" });
    await log.until((line) => line === "works ended");
  });

  it(verifies("B9", "waits for a tool whose progress restarts the timeout"), async () => {
    fakeTimers();
    const { client } = await fixture.serveOwn(noQuestion);

    const calling = client.call("steps", {}, { onprogress: () => {}, resetTimeoutOnProgress: true });
    for (let steps = 1; steps <= 3; steps += 1) {
      await client.untilReceived("notifications/progress", steps);
      await vi.advanceTimersByTimeAsync(45_000);
    }

    await expect(calling).resolves.toMatchObject({ text: "There." });
  });
});
