import { testClock } from "@photon/core/testing";
import { expect, it } from "vitest";
import { acceptValue, leaveOpen } from "../clients/answers.ts";
import type { EventLog } from "../clients/event-log.ts";
import { verifies } from "../requirements.ts";
import type { ServerFixture } from "./fixture.ts";

export function assertNoneEnded(log: EventLog<string>): void {
  expect(log.all.filter((line) => line.endsWith("ended"))).toEqual([]);
}

export function cancelledWork(fixture: ServerFixture): void {
  it(verifies(["B8", "C1"], "a call that is cancelled while its tool works ends the tool"), async () => {
    const client = await fixture.connect();
    fixture.log.clear();
    const controller = new AbortController();

    const calling = client.call("works", {}, { signal: controller.signal }).catch((error: unknown) => error);
    await fixture.log.until((line) => line === "works began");
    controller.abort("changed my mind");

    await fixture.log.until((line) => line === "works ended");
    await expect(calling).resolves.toMatchObject({ message: expect.stringContaining("changed my mind") });
    fixture.record("a call cancelled while the tool works", "ends at once");
  });
}

export function cancelledQuestions(fixture: ServerFixture): void {
  it(
    verifies(
      ["B8", "C1", "C2"],
      "a call that is cancelled while a question is open cancels the question and ends the tool; without a session, at the deadline",
    ),
    async () => {
      const question = leaveOpen();
      const clock = testClock();
      const { client, log } = fixture.isStateless
        ? await fixture.serveOwn(question.answer, clock)
        : { client: await fixture.connect(question.answer), log: fixture.log };
      log.clear();
      const controller = new AbortController();

      const calling = client.call("waits", {}, { signal: controller.signal });
      await question.asked;
      controller.abort("changed my mind");

      await expect(calling).rejects.toThrow("changed my mind");
      await question.cancelled;
      if (fixture.isStateless) {
        assertNoneEnded(log);
        await (fixture.onDisconnect === "waits" ? clock.advance("15m") : client.cut());
      }
      await log.until((line) => line === "waits ended");
      const end =
        fixture.onDisconnect === "waits" ? "ends 10 minutes after its deadline" : "ends with the process";
      fixture.record("a call cancelled while a question is open", fixture.isStateless ? end : "ends at once");
    },
  );

  it(verifies(["B8", "C1"], "a client whose call was cancelled can call again"), async () => {
    const question = leaveOpen();
    const client = await fixture.connect(question.answer);
    const controller = new AbortController();
    const calling = client.call("waits", {}, { signal: controller.signal });
    await question.asked;
    controller.abort("changed my mind");
    await expect(calling).rejects.toThrow("changed my mind");

    client.answer = acceptValue(true);

    await expect(client.call("waits")).resolves.toMatchObject({ text: "true" });
  });
}
