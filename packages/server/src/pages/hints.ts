/** What fits into a field, in words. Pure. */
import { asSentence } from "../protocol/elicitation-form.ts";
import type { Field } from "./fields.ts";

/** "3 to 20 characters. Must be a code of capital letters."; nothing where anything does. */
export function hintOf({ control, schema }: Field): string {
  const { patternMessage } = schema;
  const sentences = [
    bounds(control.kind, schema),
    typeof patternMessage === "string" ? asSentence(patternMessage) : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function bounds(kind: Field["control"]["kind"], schema: Field["schema"]): string {
  switch (kind) {
    case "line":
    case "lines":
    case "secret":
      return range(schema["minLength"], schema["maxLength"], (amount) => `${amount} characters.`);
    case "number":
      return numbers(schema);
    case "some":
      return range(schema["minItems"], schema["maxItems"], (amount) => `Choose ${lower(amount)}.`);
    case "day":
    case "moment":
      return range(schema["formatMinimum"], schema["formatMaximum"], (amount) => `${amount}.`, DATES);
    case "file":
      return files(schema);
    case "one":
    case "yes-no":
      return "";
    default:
      return kind satisfies never;
  }
}

interface Words {
  readonly least: string;
  readonly most: string;
}

const AMOUNTS: Words = { least: "At least", most: "At most" };
const DATES: Words = { least: "Not before", most: "Not after" };

function range(
  min: unknown,
  max: unknown,
  say: (amount: string) => string,
  { least, most }: Words = AMOUNTS,
): string {
  const [from, to] = [min, max].map((bound) => (isBound(bound) ? String(bound) : undefined));
  if (from === undefined) return to === undefined ? "" : say(`${most} ${to}`);
  if (to === undefined) return from === "0" ? "" : say(`${least} ${from}`);
  return say(from === to ? from : `${from} to ${to}`);
}

function numbers(schema: Field["schema"]): string {
  const whole = schema.type === "integer" ? "A whole number" : "A number";
  const between = range(schema["minimum"], schema["maximum"], lower);
  const said = between === "" ? whole : `${whole}, ${between}`;
  return schema.type === "integer" || between !== "" ? `${said}.` : "";
}

function files({ accept, maxBytes }: Field["schema"]): string {
  const types = Array.isArray(accept) ? `Of type ${accept.join(", ")}.` : "";
  const size = typeof maxBytes === "number" ? `At most ${sizeOf(maxBytes)}.` : "";
  return `${types} ${size}`.trim();
}

/** "5 MB", as people say it. */
export function sizeOf(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const step = Math.min(Math.max(0, Math.floor(Math.log10(bytes) / 3)), units.length - 1);
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step] ?? ""}`;
}

const isBound = (bound: unknown): boolean => typeof bound === "number" || typeof bound === "string";

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
