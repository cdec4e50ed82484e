import { PingRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { noQuestion } from "../clients/answers.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { verifies } from "../requirements.ts";
import { ServerFixture } from "./fixture.ts";
import { webSocket } from "./network-transports.ts";
import { scenarios } from "./scenarios.ts";

scenarios(webSocket);

describe("a server over WebSocket", () => {
  it(
    verifies(
      "C1",
      "sends the result after one second to a client that does not respond to the ping after progress",
    ),
    async () => {
      const clock = testClock();
      const { client } = await new ServerFixture(webSocket, "2025-11-25").serveOwn(noQuestion, clock);
      if (!(client instanceof SdkV1Client)) throw new Error("The client has no session.");
      client.sdk.setRequestHandler(PingRequestSchema, () => new Promise(() => {}));

      const calling = client.call("progresses", {}, { onprogress: () => {} });
      await client.untilReceived("ping");
      expect(client.received.all.some((message) => "result" in message && "content" in message.result)).toBe(
        false,
      );
      await clock.advance("1s");

      await expect(calling).resolves.toMatchObject({ text: "Done." });
    },
  );
});
