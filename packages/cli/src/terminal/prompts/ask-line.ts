import type { FieldAsk, Reply } from "@photon/core";
import { cleanText } from "../clean-text.ts";
import { valueFrom } from "../read-answer.ts";
import { hear, LINE_END } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import type { Field } from "./field.ts";

/** An ask whose answer is typed as one line. */
type LineAsk = Exclude<FieldAsk, { ask: "confirm" | "select" | "multiselect" }>;

/** Whether a text may have several lines: what has a format of its own has one. */
const mayHaveLines = (ask: LineAsk): boolean => ask.ask === "text" && ask.format === undefined;

/** What a line that was typed stands for. */
function readerFor(ask: LineAsk, isBox: boolean): (line: string) => unknown {
  if (mayHaveLines(ask)) return isBox ? (line) => line : (line) => line.replaceAll(LINE_END, "\n");
  return (line) => (line === "" ? undefined : valueFrom(ask, line));
}

/** Text, a number, a day, a moment: a line that is checked when it is sent. */
export async function askLine(ask: LineAsk, field: Field): Promise<Reply> {
  const { scene, check, isOptional } = field;
  const wording = { ...ask, wanted: wantedFor(ask, isOptional) };
  const words = new Words(wording, scene, { guided: true });
  const suggestion = ask.default === undefined ? undefined : cleanText(String(ask.default));
  // A line holds no line breaks; a suggestion that has some is edited in a box of its own.
  const isLong = suggestion !== undefined && /[\n↵]/.test(suggestion);
  const read = readerFor(ask, isLong);
  const takes = isLong ? "box" : mayHaveLines(ask) ? "lines" : "line";
  const reply = await hear(scene, words, { takes }, (streams) =>
    (isLong ? scene.clack.multiline : scene.clack.text)({
      ...streams,
      ...(isLong ? { showSubmit: true } : {}),
      ...(ask.ask === "date" && ask.time !== true ? { placeholder: "yyyy-mm-dd" } : {}),
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
