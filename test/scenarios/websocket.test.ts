import { PingRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { nobody } from "./answers.ts";
import { scenarios } from "./scenarios.ts";
import { Scene } from "./scene.ts";
import { SessionGuest } from "./session-guest.ts";
import { webSocket } from "./websocket.ts";

scenarios(webSocket);

describe("a server over WebSocket", () => {
  it(
    verifies("C1", "does not wait for long for a client that never shows to have read the progress"),
    async () => {
      const clock = testClock();
      const { guest } = await new Scene(webSocket, "2025-11-25").elsewhere(nobody, clock);
      if (!(guest instanceof SessionGuest)) throw new Error("Somebody came without a session.");
      guest.client.setRequestHandler(PingRequestSchema, () => new Promise(() => {}));

      const calling = guest.call("tells", {}, { onprogress: () => {} });
      await guest.untilHeard("ping");
      expect(guest.heard.all.some((message) => "result" in message && "content" in message.result)).toBe(
        false,
      );
      await clock.advance("1s");

      await expect(calling).resolves.toMatchObject({ text: "Done." });
    },
  );
});
