import { afterAll, beforeAll, describe } from "vitest";
import { httpV2, webSocket } from "../clients/connections.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { stdioV1 } from "../clients/stdio-connections.ts";
import { environmentWith, kitchenSink, photon, startExample } from "./processes.ts";
import { runAll } from "./run-all.ts";
import { scenariosWithAllCapabilities } from "./scenarios.ts";
import { Studio } from "./studio.ts";
import { callAs, ScenarioUser } from "./user.ts";

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

function runAllWith(create: () => SdkV1Client | SdkV2Client): void {
  let client: SdkV1Client | SdkV2Client;
  beforeAll(async () => {
    client = create();
    await client.connect();
  });
  afterAll(() => client.close());
  runAll(
    scenariosWithAllCapabilities,
    (scenario) => callAs(new ScenarioUser(scenario), client, scenario.tool, scenario.input),
    () => studio,
  );
}

describe("SDK v1 over WebSocket", () => {
  runAllWith(() => new SdkV1Client(webSocket(built.url)));
});

describe("SDK v1 over stdio, with photon serve", () => {
  runAllWith(() => {
    const env = environmentWith({ KITCHEN_SINK_DATA: studio.folder });
    return new SdkV1Client(stdioV1([photon, "serve", kitchenSink], { env }));
  });
});

describe("SDK v2 over HTTP", () => {
  runAllWith(() => new SdkV2Client(httpV2(built.url)));
});
