/** The kitchen sink behind a playground, for pictures: at one moment in time, and with a tour to plan beside it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, tool } from "@photon/core";
import { createServer } from "@photon/server";
import { openKept } from "./kept-runs.mjs";

/** When all pictures are taken. */
export const MOMENT = Date.parse("2026-07-28T10:00:00Z");

const CITIES =
  "Aarhus Bergen Bilbao Bologna Bremen Brno Cork Gdansk Ghent Graz Leeds Lille Lyon Porto Riga Seville Turin Vilnius Zagreb".split(
    " ",
  );

/** What the kitchen sink has none of: an input with a nested schema, and a choice among many. */
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

/** Serves it. What it keeps is gone when it is closed. */
export async function openStage() {
  const folder = mkdtempSync(join(tmpdir(), "kitchen-sink-"));
  process.env["KITCHEN_SINK_DATA"] = folder;
  // How much time a question has left is seen in the pictures.
  Date.now = () => MOMENT;
  const { prompts, resources, tools } = await import("../../examples/dist/kitchen-sink/definitions.js");
  const offered = {
    name: "kitchen-sink",
    version: "0.1.0",
    tools: [...tools, planTour],
    prompts,
    resources,
    // One of the pictures is of a tool that fails.
    report: () => {},
  };
  const server = createServer(offered);
  const { url } = await server.listen({ playground: true });
  const kept = await openKept(offered);
  return {
    url,
    keptUrl: kept.url,
    async close() {
      await server.close();
      await kept.server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
