import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe } from "vitest";
import { dialWebSocket } from "../scenarios/dial-websocket.ts";
import { arrive, arriveModern, type Caller } from "./caller.ts";
import { staged } from "./performances.ts";
import { Performer } from "./person.ts";
import { playAll } from "./play-all.ts";
import { environmentWith, kitchenSink, photon, startExample } from "./processes.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
let built: Awaited<ReturnType<typeof startExample>>;
beforeAll(async () => {
  studio = await Studio.open();
  built = await startExample("kitchen-sink", { KITCHEN_SINK_DATA: studio.folder });
});
afterAll(async () => {
  await built.close();
  await studio.close();
});

/** Plays all performances by one client. */
function playBy(come: () => Promise<Caller>): void {
  let caller: Caller;
  beforeAll(async () => {
    caller = await come();
  });
  afterAll(() => caller.close());
  playAll(
    staged,
    (performance) => caller.call(performance.tool, performance.input ?? {}, new Performer(performance)),
    () => studio,
  );
}

describe("by the SDK's client over WebSocket", () => {
  playBy(() => arrive(dialWebSocket(built.url).transport));
});

describe("by the SDK's client over stdio, with photon serve", () => {
  playBy(() =>
    arrive(
      new StdioClientTransport({
        command: process.execPath,
        args: [photon, "serve", kitchenSink],
        env: environmentWith({ KITCHEN_SINK_DATA: studio.folder }),
        stderr: "ignore",
      }),
    ),
  );
});

describe("by the SDK's second client over HTTP", () => {
  playBy(() => arriveModern(built.url));
});
