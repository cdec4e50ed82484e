import { testClock } from "@photon/core/testing";
import { expect, it, vi } from "vitest";
import { verifies } from "../requirements.ts";
import { accept, nobody, thinker } from "./answers.ts";
import type { Happenings } from "./happenings.ts";
import type { Scene } from "./scene.ts";

/** When the call of a client that has gone is over for it, too; a client without a session goes on asking its person. */
const whenOver = (scene: Scene, calling: Promise<unknown>): Promise<unknown> =>
  scene.isModern ? Promise.resolve() : calling;

/** No body has ended so far. */
function assertGoingOn(told: Happenings<string>): void {
  expect(told.all.filter((line) => line.endsWith("ended"))).toEqual([]);
}

/** Calls that end before their time, because the client wants it. */
export function ending(scene: Scene): void {
  it(
    verifies(
      ["B8", "C1", "C2"],
      "takes back the question of a call that is cancelled, and ends its body; where it hears nothing of that, when its time is over",
    ),
    async () => {
      const person = thinker();
      const clock = testClock();
      const { guest, told } = scene.isModern
        ? await scene.elsewhere(person.answer, clock)
        : { guest: await scene.seat(person.answer), told: scene.told };
      told.forget();
      const leaving = new AbortController();

      const calling = guest.call("waits", {}, { signal: leaving.signal });
      await person.asked;
      leaving.abort("changed my mind");

      await expect(calling).rejects.toThrow("changed my mind");
      await person.dropped;
      if (scene.isModern) {
        assertGoingOn(told);
        await (scene.whenGone === "waits" ? clock.advance("15m") : guest.line.vanish());
      }
      await told.until((line) => line === "waits ended");
      const end = scene.whenGone === "waits" ? "ends 10 minutes after its deadline" : "ends with the process";
      scene.shows("a call cancelled while a person is asked", scene.isModern ? end : "ends at once");
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

  it(verifies(["B8", "C1"], "ends the body of a call that is cancelled while it works"), async () => {
    const guest = await scene.seat();
    scene.told.forget();
    const leaving = new AbortController();

    const calling = guest.call("works", {}, { signal: leaving.signal }).catch((error: unknown) => error);
    await scene.told.until((line) => line === "works began");
    leaving.abort("changed my mind");

    await scene.told.until((line) => line === "works ended");
    await expect(calling).resolves.toMatchObject({ message: expect.stringContaining("changed my mind") });
    scene.shows("a call cancelled while it works", "ends at once");
  });

  it(
    verifies(
      ["B8", "C1", "C9"],
      "ends the body of a call whose client vanishes while it works, unless it has a session to come back to",
    ),
    async () => {
      const clock = testClock();
      const { guest, told, served } = await scene.elsewhere(nobody, clock);
      const goesOn = !scene.isModern && scene.whenGone === "waits";

      const calling = guest.call("works").catch((error: unknown) => error);
      await told.until((line) => line === "works began");
      await guest.line.vanish();
      if (goesOn) {
        await clock.advance("1m");
        assertGoingOn(told);
        await served.stop();
      }

      await told.until((line) => line === "works ended");
      await calling;
      scene.shows("a client gone while the tool works", goesOn ? "goes on" : "ends at once");
    },
  );
}

/** Clients that say goodbye to a session, or to a process of their own. */
export function takingLeave(scene: Scene): void {
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
      await whenOver(scene, calling);
    },
  );
}

/** Where nobody can come back. */
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
      await whenOver(scene, calling);
      scene.shows("a client gone while a person is asked", "ends at once");
    },
  );
}

/** Where a client that lost its connection may come back. */
export function outlasting(scene: Scene): void {
  it(
    verifies(
      ["B8", "B2", "C1", "C2", "C9"],
      "outlives a client that vanishes while it is asked: the body ends when nobody can answer any more, the session when it is idle",
    ),
    async () => {
      const person = thinker();
      const clock = testClock();
      const { guest, told, served } = await scene.elsewhere(person.answer, clock);

      const calling = guest.call("waits").catch((error: unknown) => error);
      await person.asked;
      await guest.line.vanish();
      await whenOver(scene, calling);
      // Whoever answers without a session is told for ten minutes more that it was too late.
      if (scene.isModern) await clock.advance("10m");
      assertGoingOn(told);
      await clock.advance("5m");

      await told.until((line) => line === "waits ended");
      // The server has yet to notice that the streams are gone.
      await vi.waitFor(async () => {
        await clock.advance("30m");
        await expect(served.sessions()).resolves.toBe(0);
      });
      scene.shows(
        "a client gone while a person is asked",
        scene.isModern ? "waits for any connection" : "waits for the session",
      );
    },
  );
}
