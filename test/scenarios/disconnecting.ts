import { testClock } from "@photon/core/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { leaveOpen, noQuestion } from "../clients/answers.ts";
import { allCapabilities } from "../clients/sdk-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { verifies } from "../requirements.ts";
import { assertNoneEnded } from "./cancelling.ts";
import type { ServerFixture } from "./fixture.ts";
import type { ScenarioClient } from "./transport.ts";

const yes = { "ask-1": { action: "accept", content: { value: true } } };

/** Clients that end their session, or lose their connection. */
export function disconnecting(fixture: ServerFixture): void {
  lostWhileWorking(fixture);
  // Without sessions, a call that waits can be continued by any client that has its state.
  if (fixture.isStateless && fixture.onDisconnect === "waits") continuedByAnotherClient(fixture);
  else sessionEnded(fixture);
  if (fixture.onDisconnect === "ends") lostWhileAsking(fixture);
  else lostWhileAskingOutlived(fixture);
}

/** Resolves when the call has ended at the client. A client without a session keeps asking its user. */
const ended = (fixture: ServerFixture, calling: Promise<unknown>): Promise<unknown> =>
  fixture.isStateless ? Promise.resolve() : calling;

function lostWhileWorking(fixture: ServerFixture): void {
  it(
    verifies(
      ["B8", "C1", "C9"],
      "a connection that is lost while the tool works ends the tool, unless its session can be resumed",
    ),
    async () => {
      const clock = testClock();
      const { client, log, server } = await fixture.serveOwn(noQuestion, clock);
      const continues = !fixture.isStateless && fixture.onDisconnect === "waits";

      const calling = client.call("works").catch((error: unknown) => error);
      await log.until((line) => line === "works began");
      await client.cut();
      if (continues) {
        await clock.advance("1m");
        assertNoneEnded(log);
        await server.close();
      }

      await log.until((line) => line === "works ended");
      await calling;
      fixture.record("connection lost while the tool works", continues ? "continues" : "ends at once");
    },
  );
}

function sessionEnded(fixture: ServerFixture): void {
  it(
    verifies(["B8", "C1", "C2"], "a session that its client ends while a question is open ends the call"),
    async () => {
      const question = leaveOpen();
      const { client, log, server } = await fixture.serveOwn(question.answer);

      const calling = client.call("waits").catch((error: unknown) => error);
      await question.asked;
      await client.endSession();

      await log.until((line) => line === "waits ended");
      await expect(server.sessions()).resolves.toBe(0);
      await client.close();
      await ended(fixture, calling);
    },
  );
}

function lostWhileAsking(fixture: ServerFixture): void {
  it(
    verifies(
      ["B8", "C1", "C2"],
      "a connection that is lost while a question is open ends the session and the call",
    ),
    async () => {
      const question = leaveOpen();
      const { client, log, server } = await fixture.serveOwn(question.answer);

      const calling = client.call("waits").catch((error: unknown) => error);
      await question.asked;
      await client.cut();

      await log.until((line) => line === "waits ended");
      await expect(server.sessions()).resolves.toBe(0);
      await ended(fixture, calling);
      fixture.record("connection lost while a question is open", "ends at once");
    },
  );
}

function lostWhileAskingOutlived(fixture: ServerFixture): void {
  it(
    verifies(
      ["B8", "B2", "C1", "C2", "C9"],
      "a call outlives a connection that is lost while a question is open, until the deadline; its session, until it is idle",
    ),
    async () => {
      const question = leaveOpen();
      const clock = testClock();
      const { client, log, server } = await fixture.serveOwn(question.answer, clock);

      const calling = client.call("waits").catch((error: unknown) => error);
      await question.asked;
      await client.cut();
      await ended(fixture, calling);
      // Without a session, the server keeps the call for ten minutes, to tell a late answer that it is late.
      if (fixture.isStateless) await clock.advance("10m");
      assertNoneEnded(log);
      await clock.advance("5m");

      await log.until((line) => line === "waits ended");
      // The server may not have noticed yet that the streams are closed.
      await vi.waitFor(async () => {
        await clock.advance("30m");
        await expect(server.sessions()).resolves.toBe(0);
      });
      fixture.record(
        "connection lost while a question is open",
        fixture.isStateless ? "waits for any connection" : "waits for the session",
      );
    },
  );
}

function continuedByAnotherClient(fixture: ServerFixture): void {
  it.each([
    ["ended", "endSession"],
    ["lost", "cut"],
  ] as const)(
    verifies(
      ["C6", "C2"],
      "a call whose connection is %s while a question is open is continued by another client",
    ),
    async (_, disconnect) => {
      const { client, server } = await fixture.serveOwn(noQuestion);
      const other = server.createClient(allCapabilities);
      onTestFinished(() => other.close());
      assertStateless(client);
      assertStateless(other);
      await other.connect();

      const state = await client.startCall("waits");
      await client[disconnect]();

      await expect(other.continueCall("waits", state, yes)).resolves.toMatchObject({ text: "true" });
    },
  );
}

function assertStateless(client: ScenarioClient): asserts client is SdkV2Client {
  if (!(client instanceof SdkV2Client)) throw new Error("The client has a session.");
}
