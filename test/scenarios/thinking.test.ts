/**
 * People who think for longer than a client waits for an answer to its call: 60 seconds, where the SDK is not told otherwise.
 *
 * Clocks of clients and servers are moved together, by hand; messages travel in real time. A server on stdio is
 * another process, whose clock cannot be moved: what it does in between is the same.
 */
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { testClock } from "@photon/core/testing";
import { sessionRevisions } from "@photon/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifies } from "../requirements.ts";
import { nobody, thinker, type Answer } from "./answers.ts";
import type { Guest } from "./column.ts";
import { Scene } from "./scene.ts";
import { sdkAdapter } from "./sdk-adapter.ts";
import { sse } from "./sse.ts";
import { streamableHttp } from "./streamable-http.ts";
import { webSocket } from "./websocket.ts";

const HEARTBEAT = 15_000;
const columns = [webSocket, sse, streamableHttp, sdkAdapter];
const scenes = columns.flatMap((column) =>
  sessionRevisions.map((revision) => [column.name, revision, new Scene(column, revision)] as const),
);
const modernScenes = [webSocket, streamableHttp].map(
  (column) => [column.name, new Scene(column, "2026-07-28")] as const,
);

/** From here on, time passes only as it does, and when it is moved on. */
function moveTimeByHand(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
}

/** Somebody who answers when told to. */
function ditherer(): { readonly answer: Answer; readonly asked: Promise<void>; decide(): void } {
  let ask = (): void => {};
  let decide = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  return {
    asked,
    decide,
    async answer() {
      ask();
      await decided;
      return { action: "accept", content: { value: true } };
    },
  };
}

/** Settles when so many signs of life have arrived. */
async function untilProgress(guest: Guest, count: number): Promise<void> {
  await guest.heard.until(
    (message) => "method" in message && message.method === "notifications/progress",
    count,
  );
}

/** Lets four minutes pass, as long as signs of life arrive. */
async function letFourMinutesPass(guest: Guest): Promise<void> {
  for (let beats = 1; beats <= 16; beats += 1) {
    await vi.advanceTimersByTimeAsync(HEARTBEAT);
    await untilProgress(guest, beats);
  }
}

describe.each(scenes)("a client over %s in %s whose person thinks for minutes", (_, __, scene) => {
  it(verifies("B9", "is answered where every sign of life gives the call another minute"), async () => {
    moveTimeByHand();
    const person = ditherer();
    const { guest } = await scene.elsewhere(person.answer);
    const signs: number[] = [];

    const calling = guest.call(
      "waits",
      {},
      { onprogress: ({ progress }) => signs.push(progress), resetTimeoutOnProgress: true },
    );
    await person.asked;
    await letFourMinutesPass(guest);
    person.decide();

    await expect(calling).resolves.toMatchObject({ isError: false, text: "true" });
    expect(signs).toHaveLength(16);
    expect(signs).toEqual([...new Set(signs)].toSorted((one, other) => one - other));
  });

  it.each([
    ["neither wants signs of life nor heeds them", {}],
    ["wants signs of life and does not heed them", { onprogress: () => {} }],
    ["would heed signs of life and wants none", { resetTimeoutOnProgress: true }],
  ])(
    verifies("B9", "gives up after a minute where it %s; the question is taken back"),
    async (_way, options) => {
      moveTimeByHand();
      const person = thinker();
      const { guest, told } = await scene.elsewhere(person.answer);

      const calling = guest.call("waits", {}, options).catch((error: unknown) => error);
      await person.asked;
      await vi.advanceTimersByTimeAsync(60_000);

      await expect(calling).resolves.toMatchObject({ code: ErrorCode.RequestTimeout });
      await person.dropped;
      await told.until((line) => line === "waits ended");
    },
  );
});

describe.each(modernScenes)("a client over %s in 2026-07-28", (_, scene) => {
  it(
    verifies(["B9", "C6"], "waits for its person as long as it takes: no request is under way meanwhile"),
    async () => {
      moveTimeByHand();
      const person = ditherer();
      // The server's clock stands still: on a socket it would look for signs of life, which travel in real time.
      const { guest } = await scene.elsewhere(person.answer, testClock());
      const signs: unknown[] = [];

      const calling = guest.call("waits", {}, { onprogress: (sign) => signs.push(sign) });
      await person.asked;
      await vi.advanceTimersByTimeAsync(240_000);
      person.decide();

      await expect(calling).resolves.toMatchObject({ isError: false, text: "true" });
      expect(signs).toEqual([]);
    },
  );

  it(
    verifies("B8", "gives up after a minute on a tool that works for longer, and its body ends"),
    async () => {
      moveTimeByHand();
      const { guest, told } = await scene.elsewhere(nobody);

      const calling = guest.call("works").catch((error: unknown) => error);
      await told.until((line) => line === "works began");
      await vi.advanceTimersByTimeAsync(60_000);

      await expect(calling).resolves.toMatchObject({ code: "REQUEST_TIMEOUT" });
      await told.until((line) => line === "works ended");
    },
  );

  it(
    verifies("B9", "waits for a tool that works for longer where all it tells gives it another minute"),
    async () => {
      moveTimeByHand();
      const { guest } = await scene.elsewhere(nobody);

      const calling = guest.call("paces", {}, { onprogress: () => {}, resetTimeoutOnProgress: true });
      for (let paces = 1; paces <= 3; paces += 1) {
        await untilProgress(guest, paces);
        await vi.advanceTimersByTimeAsync(45_000);
      }

      await expect(calling).resolves.toMatchObject({ text: "There." });
    },
  );
});
