/** What the text of a flag stands for. Pure. */
import type { Flag } from "./flag.ts";

export type Read = { readonly value: unknown } | { readonly problem: string };

const DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/;

/** The value of a flag from the texts it was given; `name` is what it was given by: `--port`, or `PHOTON_PORT`. */
export function readValue(name: string, flag: Flag, texts: readonly string[]): Read {
  if (flag.type === "list") {
    const words =
      flag.isWhole === true ? texts : texts.flatMap((text) => text.split(",")).map((word) => word.trim());
    const wrong = words.find((word) => word === "" || !isChoice(word, flag));
    return wrong === undefined
      ? { value: words }
      : { problem: `${name} ${wanted(flag)}, not ${quoted(wrong)}` };
  }
  const [text = "", ...more] = texts;
  if (more.length > 0) return { problem: `${name} is given ${texts.length} times; give it once` };
  return fits(text, flag)
    ? { value: flag.type === "number" ? Number(text) : text }
    : { problem: `${name} ${wanted(flag)}, not ${quoted(text)}` };
}

function fits(text: string, flag: Flag): boolean {
  switch (flag.type) {
    case "number":
      return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
    case "duration":
      return DURATION.test(text);
    case "timeout":
      return DURATION.test(text) || text === "none";
    default:
      return text !== "" && isChoice(text, flag);
  }
}

const isChoice = (word: string, { choices }: Flag): boolean =>
  choices === undefined || choices.includes(word);

function wanted({ type, choices, value }: Flag): string {
  if (choices !== undefined) return `is ${type === "list" ? "any" : "one"} of ${choices.join(", ")}`;
  if (type === "number") return "is a whole number from 0";
  if (type === "duration" || type === "timeout")
    return `is a length of time like 30s, 5m, 2h or 7d${type === "timeout" ? ", or none" : ""}`;
  return `needs a value${value === undefined ? "" : ` (${value})`}`;
}

const quoted = (text: string): string => (text === "" ? "nothing" : JSON.stringify(text));
