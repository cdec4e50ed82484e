import type { Body } from "@photon/core";
import { paper } from "../studio/documents.ts";

const sheets = paper<object | null>("credits.json", null);

/** What the form below lets through. */
interface Names {
  readonly written: string;
  readonly produced?: string;
}

/** Writes down who made a song, in plain data: nothing here is made by a constructor. */
export async function* credits(song: string): Body<object> {
  yield { emit: "status", message: `Writing the credits of ${song}` };
  // A bare yield cannot be typed by what is yielded, so the author says what comes back.
  const names = (yield {
    emit: "ask",
    id: "names",
    message: `Who made ${song}?`,
    schema: {
      type: "object",
      properties: {
        written: { type: "string", title: "Written by", minLength: 1 },
        produced: { type: "string", title: "Produced by" },
      },
      required: ["written"],
    },
  }) as Names;
  const recorded = (yield {
    ask: "text",
    id: "recorded",
    message: "On which day was it recorded?",
    format: "date",
  }) as string;
  const mixed = (yield {
    ask: "text",
    id: "mixed",
    message: "When was the mix done?",
    format: "date-time",
  }) as string;
  yield { emit: "artifact", type: "text", text: `${song} was written by ${names.written}.` };
  const sheet = { song, ...names, recorded, mixed };
  if ((yield { ask: "confirm", id: "final", message: "Is that final?" }) !== true)
    return { content: [{ type: "text", text: "The credits are not final." }], isError: true };
  await sheets.change(() => sheet);
  return { content: [{ type: "text", text: "The credits are final." }], structuredContent: sheet };
}
