/** The servers for the pictures of the playground: the kitchen sink with one more tool, at a fixed time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, tool } from "@photon/core";
import { createServer } from "@photon/server";
import { startInboxServer } from "./inbox-server.mjs";

/** The time that the servers and the browser show in all pictures. */
export const FIXED_TIME = Date.parse("2026-07-28T10:00:00Z");

const CITIES =
  "Aarhus Bergen Bilbao Bologna Bremen Brno Cork Gdansk Ghent Graz Leeds Lille Lyon Porto Riga Seville Turin Vilnius Zagreb".split(
    " ",
  );

/** A tool with a nested input schema and a long list of options, which the kitchen sink does not have. */
const planTour = tool({
  name: "plan_tour",
  title: "Plan a tour",
  description: "Puts concerts in an order, and asks where the tour begins",
  input: {
    type: "object",
    properties: {
      band: { type: "string", title: "Band", minLength: 1, default: "The Sinks" },
      contact: {
        type: "object",
        title: "Contact",
        properties: {
          email: { type: "string", title: "Email", format: "email" },
          language: { type: "string", title: "Language", enum: ["English", "Polish", "Spanish"] },
        },
        required: ["email"],
      },
      stops: {
        type: "array",
        title: "Stops",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            city: { type: "string", title: "City" },
            nights: { type: "integer", title: "Nights", minimum: 1, default: 1 },
          },
          required: ["city"],
        },
      },
    },
    required: ["band", "stops"],
  },
  async *run() {
    const first = yield* ask.select("Where does the tour begin?", CITIES, { id: "first" });
    const mail = yield* ask.text("Who gets the plan?", { id: "mail", format: "email", retries: 2 });
    return `${first} first; ${mail} gets the plan.`;
  },
});

/** Starts both servers, with a temporary data folder. */
export async function startServers() {
  const folder = mkdtempSync(join(tmpdir(), "kitchen-sink-"));
  process.env["KITCHEN_SINK_DATA"] = folder;
  // The pictures show the remaining time of a question.
  Date.now = () => FIXED_TIME;
  const { prompts, resources, tools } = await import("../../examples/dist/kitchen-sink/definitions.js");
  const options = {
    name: "kitchen-sink",
    version: "0.1.0",
    tools: [...tools, planTour],
    prompts,
    resources,
    // In one of the pictures a tool fails.
    report: () => {},
  };
  const server = createServer(options);
  const { url } = await server.listen({ playground: true });
  const inbox = await startInboxServer(options);
  return {
    url,
    inboxUrl: inbox.url,
    async close() {
      await server.close();
      await inbox.server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
