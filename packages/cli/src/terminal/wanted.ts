/** Which answers a question takes, in a few words. Pure. */
import { expectedAnswer, type Ask } from "@photon/core";

/** "a whole number, 1 to 30"; empty where the prompt says it all. */
export function wantedFor(ask: Ask, isOptional: boolean): string {
  const words = [...expectedAnswer(ask)];
  if (ask.ask === "secret") words.push("it is not shown");
  if (ask.ask === "date" && ask.time === true) words.splice(1, 0, "without a zone it is local time");
  if (isOptional) words.push("may be left empty");
  return words.join(", ");
}
