import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { logLevels } from "@photon/core";
import { restartEverywhere, testClock } from "@photon/core/testing";
import { createServer, type PhotonServer, type ServerOptions } from "@photon/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { prompts, resources, tools } from "../../examples/kitchen-sink/definitions.ts";
import { acceptValue, leaveOpen } from "../clients/answers.ts";
import { connectV1 } from "../clients/connect.ts";
import { webSocket } from "../clients/connections.ts";
import { allCapabilities, noCapabilities } from "../clients/sdk-client.ts";
import type { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { stdioV1 } from "../clients/stdio-connections.ts";
import { verifies } from "../requirements.ts";
import { releaseSong } from "./scenarios/outside.ts";
import { bookSession } from "./scenarios/people.ts";
import { environmentWith, kitchenSink, photon } from "./processes.ts";
import { runInTestKit, toolOf } from "./run-in-test-kit.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());
beforeEach(() => studio.tidy());

/** A server of the kitchen sink, and a client of it. */
async function serve(
  capabilities = allCapabilities,
  options: ServerOptions = {},
): Promise<{ readonly client: SdkV1Client; readonly server: PhotonServer }> {
  const server = createServer({ tools, prompts, resources, report: () => {}, ...options });
  const { url } = await server.listen();
  onTestFinished(() => server.close());
  return { client: await connectV1(webSocket(url), { capabilities }), server };
}

describe("the kitchen sink", () => {
  it("is the same from its sources and built", async () => {
    const { client } = await serve();
    const env = environmentWith({ KITCHEN_SINK_DATA: studio.folder });
    const fromSources = await connectV1(stdioV1([photon, "serve", kitchenSink], { env }));

    expect(await fromSources.sdk.listTools()).toEqual(await client.sdk.listTools());
  });

  it(
    verifies("D4", "deletes nothing for a client that cannot be asked, and names the capability"),
    async () => {
      const { client } = await serve(noCapabilities);
      const { isError, text } = await client.call("delete_artifacts");

      expect(isError).toBe(true);
      expect(text).toContain("form");
      expect(await studio.changes()).toEqual({});
    },
  );

  it(verifies("D4", "cancels a long job at once, without a partial file"), async () => {
    const { client, server } = await serve();
    client.answer = acceptValue(true);
    const cancelling = new AbortController();
    const seen: { readonly message?: string | undefined }[] = [];
    const calling = client.call(
      "bounce_mix",
      { bars: 64, speed: 50 },
      {
        signal: cancelling.signal,
        onprogress(progress) {
          seen.push(progress);
          cancelling.abort(new Error("changed my mind"));
        },
      },
    );

    await expect(calling).rejects.toThrow("changed my mind");
    // Waits for the bodies to end.
    await server.close();
    expect(seen.length).toBeLessThan(64);
    expect(await readdir(join(studio.folder, "drafts"))).toEqual([]);
    expect(await studio.changes()).toEqual({});
  });

  it(verifies(["D4", "B9"], "sends heartbeats while the question before a long job is open"), async () => {
    const clock = testClock();
    const { client } = await serve(allCapabilities, { clock });
    const question = leaveOpen();
    client.answer = question.answer;
    const cancelling = new AbortController();
    const calling = client.call("bounce_mix", {}, { signal: cancelling.signal, onprogress: () => {} });
    calling.catch(() => {});
    await question.asked;
    await clock.advance("15s");
    await client.untilReceived("notifications/progress");
    cancelling.abort();

    expect(client.receivedOf("notifications/progress")).toHaveLength(1);
  });

  it(verifies("D4", "logs at every level to a client that has set the level debug"), async () => {
    const { client } = await serve();
    await client.sdk.setLoggingLevel("debug");
    await client.call("check_levels");

    expect(client.receivedOf("notifications/message").map(({ level }) => level)).toEqual(logLevels);
  });

  it("sends progress", async () => {
    const { client } = await serve();
    const seen: { readonly message?: string | undefined }[] = [];
    await client.call("transcode", { file: "take-1.wav" }, { onprogress: (progress) => seen.push(progress) });

    expect(seen.map(({ message }) => message)).toEqual(["Reading take-1.wav", undefined, "Written"]);
  });

  it("has the resources that its results link to", async () => {
    const { client } = await serve();
    const { contents } = await client.sdk.readResource({ uri: "studio://shelf/take-1.wav" });

    expect(contents).toMatchObject([
      { uri: "studio://shelf/take-1.wav", blob: expect.stringMatching(/^UklGR/) },
    ]);
  });

  it("keeps the changes of concurrent calls", async () => {
    const hours = Array.from(
      { length: 10 },
      (_, index) => `2026-08-01T${String(2 * index).padStart(2, "0")}:00:00Z`,
    );
    await Promise.all(hours.map((start) => runInTestKit({ ...bookSession, answers: { start } })));

    expect((await studio.changes())["sessions.json"]).toHaveLength(10);
  });

  it(verifies(["D4", "E1"], "delivers a release once, wherever the process restarts"), async () => {
    // From now on, the shop responds.
    await runInTestKit(releaseSong);
    const { steps } = await restartEverywhere(toolOf(releaseSong), { answers: releaseSong.answers ?? {} });

    expect(steps).toMatchObject({ "deliver to bandstand": 1, file: 1 });
  });
});
