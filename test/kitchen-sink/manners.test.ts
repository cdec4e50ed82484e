import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { logLevels } from "@photon/core";
import { restartEverywhere, testClock } from "@photon/core/testing";
import { createServer, type PhotonServer, type ServerOptions } from "@photon/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { prompts, resources, tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { accept, thinker } from "../scenarios/answers.ts";
import { dialWebSocket } from "../scenarios/dial-websocket.ts";
import { everything, nothing } from "../scenarios/guest.ts";
import { SessionGuest } from "../scenarios/session-guest.ts";
import { arrive } from "./caller.ts";
import { releaseSong } from "./performances/outside.ts";
import { bookSession } from "./performances/people.ts";
import { environmentWith, kitchenSink, photon } from "./processes.ts";
import { rehearse, toolOf } from "./rehearse.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());
beforeEach(() => studio.tidy());

/** Somebody at a kitchen sink of the test's own. */
async function visit(
  can = everything,
  options: ServerOptions = {},
): Promise<{ readonly guest: SessionGuest; readonly server: PhotonServer }> {
  const server = createServer({ tools, prompts, resources, report: () => {}, ...options });
  const { url } = await server.listen();
  const guest = new SessionGuest(dialWebSocket(url), can);
  onTestFinished(async () => {
    await guest.client.close();
    await server.close();
  });
  await guest.arrive();
  return { guest, server };
}

describe("the kitchen sink", () => {
  it("is the same from its sources and built", async () => {
    const { guest } = await visit();
    const fromSources = await arrive(
      new StdioClientTransport({
        command: process.execPath,
        args: [photon, "serve", kitchenSink],
        env: environmentWith({ KITCHEN_SINK_DATA: studio.folder }),
        stderr: "ignore",
      }),
    );
    onTestFinished(() => fromSources.close());

    expect(await fromSources.listTools()).toEqual((await guest.client.listTools()).tools);
  });

  it(verifies("D4", "throws away nothing where nobody can be asked, and says what is missing"), async () => {
    const { guest } = await visit(nothing);
    const { isError, text } = await guest.call("delete_artifacts");

    expect(isError).toBe(true);
    expect(text).toContain("form");
    expect(await studio.changes()).toEqual({});
  });

  it(verifies("D4", "cancels a long job at once, and leaves nothing half done behind"), async () => {
    const { guest, server } = await visit();
    guest.answer = accept({ value: true });
    const cancelling = new AbortController();
    const seen: Progress[] = [];
    const calling = guest.call(
      "bounce_mix",
      { bars: 64, speed: 50 },
      {
        signal: cancelling.signal,
        onprogress(progress) {
          seen.push(progress);
          cancelling.abort(new Error("I have heard enough."));
        },
      },
    );

    await expect(calling).rejects.toThrow("I have heard enough.");
    // It waits for the bodies to end.
    await server.close();
    expect(seen.length).toBeLessThan(64);
    expect(await readdir(join(studio.folder, "drafts"))).toEqual([]);
    expect(await studio.changes()).toEqual({});
  });

  it(verifies(["D4", "B9"], "gives signs of life while somebody thinks about a long job"), async () => {
    const clock = testClock();
    const { guest } = await visit(everything, { clock });
    const person = thinker();
    guest.answer = person.answer;
    const cancelling = new AbortController();
    const calling = guest.call("bounce_mix", {}, { signal: cancelling.signal, onprogress: () => {} });
    calling.catch(() => {});
    await person.asked;
    await clock.advance("15s");
    await guest.untilHeard("notifications/progress");
    cancelling.abort();

    expect(guest.heardOf("notifications/progress")).toHaveLength(1);
  });

  it(verifies("D4", "logs at every level there is, to a client that wants to hear it"), async () => {
    const { guest } = await visit();
    await guest.client.setLoggingLevel("debug");
    await guest.call("check_levels");

    expect(guest.heardOf("notifications/message").map(({ level }) => level)).toEqual(logLevels);
  });

  it("tells how far it is", async () => {
    const { guest } = await visit();
    const seen: Progress[] = [];
    await guest.call("transcode", { file: "take-1.wav" }, { onprogress: (progress) => seen.push(progress) });

    expect(seen.map(({ message }) => message)).toEqual(["Reading take-1.wav", undefined, "Written"]);
  });

  it("gives what its results link to", async () => {
    const { guest } = await visit();
    const { contents } = await guest.client.readResource({ uri: "studio://shelf/take-1.wav" });

    expect(contents).toMatchObject([
      { uri: "studio://shelf/take-1.wav", blob: expect.stringMatching(/^UklGR/) },
    ]);
  });

  it("loses nothing of what many people do at once", async () => {
    const hours = Array.from(
      { length: 10 },
      (_, index) => `2026-08-01T${String(2 * index).padStart(2, "0")}:00:00Z`,
    );
    await Promise.all(hours.map((start) => rehearse({ ...bookSession, answers: { start } })));

    expect((await studio.changes())["sessions.json"]).toHaveLength(10);
  });

  it(verifies(["D4", "E1"], "delivers a release once, wherever it is interrupted"), async () => {
    // The shop is awake from now on.
    await rehearse(releaseSong);
    const { steps } = await restartEverywhere(toolOf(releaseSong), { answers: releaseSong.answers ?? {} });

    expect(steps).toMatchObject({ "deliver to bandstand": 1, file: 1 });
  });
});
