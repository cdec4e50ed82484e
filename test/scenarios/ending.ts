import { testClock } from "@photon/core/testing";
import { expect, it, vi } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, thinker } from "./answers.ts";
import type { Scene } from "./scene.ts";

/** Calls and sessions that end before their time, because the client wants it. */
export function ending(scene: Scene): void {
  it(
    verifies(["B8", "C1", "C2"], "takes back the question of a call that is cancelled, and ends its body"),
    async () => {
      const person = thinker();
      const guest = await scene.seat(person.answer);
      scene.told.forget();
      const leaving = new AbortController();

      const calling = guest.call("waits", {}, { signal: leaving.signal });
      await person.asked;
      leaving.abort("changed my mind");

      await expect(calling).rejects.toThrow("changed my mind");
      await person.dropped;
      await scene.told.until((line) => line === "waits ended");
    },
  );

  it(verifies(["B8", "C1"], "serves a client on after one of its calls was cancelled"), async () => {
    const person = thinker();
    const guest = await scene.seat(person.answer);
    const leaving = new AbortController();
    const calling = guest.call("waits", {}, { signal: leaving.signal });
    await person.asked;
    leaving.abort("changed my mind");
    await expect(calling).rejects.toThrow("changed my mind");

    guest.answer = accept({ value: true });

    await expect(guest.call("waits")).resolves.toMatchObject({ text: "true" });
  });

  it(
    verifies(["B8", "C1", "C2"], "ends, and its bodies, when the client takes its leave while it is asked"),
    async () => {
      const person = thinker();
      const { guest, told, served } = await scene.elsewhere(person.answer);

      const calling = guest.call("waits").catch((error: unknown) => error);
      await person.asked;
      await guest.line.leave();

      await told.until((line) => line === "waits ended");
      await expect(served.sessions()).resolves.toBe(0);
      await guest.client.close();
      await calling;
    },
  );
}

/** Where the session is the connection. */
export function endingWhenGone(scene: Scene): void {
  it(
    verifies(["B8", "C1", "C2"], "ends, and its bodies, when the client vanishes while it is asked"),
    async () => {
      const person = thinker();
      const { guest, told, served } = await scene.elsewhere(person.answer);

      const calling = guest.call("waits").catch((error: unknown) => error);
      await person.asked;
      await guest.line.vanish();

      await told.until((line) => line === "waits ended");
      await expect(served.sessions()).resolves.toBe(0);
      await calling;
    },
  );
}

/** Where a client that lost its connection may come back. */
export function outlasting(scene: Scene): void {
  it(
    verifies(
      ["B8", "B2", "C1", "C2", "C9"],
      "outlives a client that vanishes while it is asked: the body ends when the question has run out, the session when it is idle",
    ),
    async () => {
      const person = thinker();
      const clock = testClock();
      const { guest, told, served } = await scene.elsewhere(person.answer, clock);

      const calling = guest.call("waits").catch((error: unknown) => error);
      await person.asked;
      await guest.line.vanish();
      await calling;
      expect(told.all).toEqual([]);
      await clock.advance("5m");

      await told.until((line) => line === "waits ended");
      // The server has yet to notice that the streams are gone.
      await vi.waitFor(async () => {
        await clock.advance("30m");
        await expect(served.sessions()).resolves.toBe(0);
      });
    },
  );
}
