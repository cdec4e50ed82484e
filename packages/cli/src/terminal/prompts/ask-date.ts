import type { DateAsk, Reply } from "@photon/core";
import { hear, none } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import { askLine } from "./ask-line.ts";
import type { Field } from "./field.ts";

/** A day is picked; a moment, and a day that may be left out, is written. */
export async function askDate(ask: DateAsk, field: Field): Promise<Reply> {
  const { scene, check, isOptional } = field;
  if (ask.time === true || isOptional) return askLine(ask, field);
  const words = new Words({ ...ask, wanted: wantedFor(ask, false) }, scene, { guided: true });
  const options = {
    format: "YMD" as const,
    // Known to clack, though not to its types.
    separator: "-",
    ...(ask.default === undefined ? {} : { initialValue: new Date(ask.default) }),
  };
  const reply = await hear(scene, words, none, (streams) =>
    scene.clack.date({
      ...streams,
      ...options,
      get message() {
        return words.now;
      },
      async validate(day) {
        const problem = await check(day === undefined ? undefined : dayOf(day));
        words.isSettled = problem === undefined;
        return problem;
      },
    }),
  );
  return reply.action === "accept" && reply.value instanceof Date
    ? { action: "accept", value: dayOf(reply.value) }
    : reply;
}

/** clack counts days in UTC. */
const dayOf = (day: Date): string => day.toISOString().slice(0, 10);
