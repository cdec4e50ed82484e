import type { Body } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";

const sheets = jsonFile<object | null>("credits.json", null);

/** An answer to the form below. */
interface Names {
  readonly written: string;
  readonly produced?: string;
}

/** Writes down who made a song. Yields plain data, without constructors. */
export async function* credits(song: string): Body<object> {
  yield { emit: "status", message: `Writing the credits of ${song}` };
  // TypeScript cannot derive the type of a plain `yield` expression from the yielded value: hence the casts.
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
  await sheets.update(() => sheet);
  return { content: [{ type: "text", text: "The credits are final." }], structuredContent: sheet };
}
