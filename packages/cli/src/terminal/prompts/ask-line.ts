import { numberFrom, type DateAsk, type NumberAsk, type Reply, type TextAsk } from "@photon/core";
import { cleanText } from "../clean-text.ts";
import { dateTimeFrom } from "../read-answer.ts";
import { hear, none } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import type { Field } from "./field.ts";

/** What a line that was typed stands for. */
function readerFor(ask: TextAsk | NumberAsk | DateAsk): (line: string) => unknown {
  if (ask.ask === "number") return numberFrom;
  if (ask.ask === "date" && ask.time === true) return dateTimeFrom;
  return (line) => (ask.ask === "text" ? line : line.trim());
}

/** Text, a number, a moment: a line that is checked when it is sent. */
export async function askLine(ask: TextAsk | NumberAsk | DateAsk, field: Field): Promise<Reply> {
  const { scene, check, isOptional } = field;
  const read = readerFor(ask);
  const wording = { ...ask, wanted: wantedFor(ask, isOptional) };
  const words = new Words(wording, scene, { guided: true });
  const suggestion = ask.default === undefined ? undefined : cleanText(String(ask.default));
  // A line holds no line breaks; a suggestion that has some is edited in a box of its own.
  const isLong = suggestion?.includes("\n") === true;
  const reply = await hear(scene, words, none, (streams) =>
    (isLong ? scene.clack.multiline : scene.clack.text)({
      ...streams,
      ...(isLong ? { showSubmit: true } : {}),
      ...(suggestion === undefined ? {} : { initialValue: suggestion }),
      get message() {
        return words.now;
      },
      async validate(line = "") {
        const problem = isOptional && line === "" ? undefined : await check(read(line));
        words.isSettled = problem === undefined;
        return problem;
      },
    }),
  );
  if (reply.action !== "accept") return reply;
  // clack gives back what was typed.
  const line = reply.value as string;
  return { action: "accept", value: isOptional && line === "" ? undefined : read(line) };
}
