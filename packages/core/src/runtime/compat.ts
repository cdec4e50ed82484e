/**
 * The spellings of other Photon runtimes (`toast`, `thinking`, `password`, `multi`, …), translated to raw effects of this one
 * before they are parsed. Options about the appearance of a question are dropped.
 */
import type { Content } from "../content.ts";
import { InvalidAsk } from "../errors.ts";
import { omit } from "../util/json.ts";

/** A raw effect: an object that a body yielded. */
export type RawObject = Readonly<Record<string, unknown>>;

export function translateCompat(raw: RawObject): RawObject {
  switch (raw["emit"]) {
    case undefined:
    case "ask":
      return translateAsk(raw);
    case "toast":
      return { ...raw, emit: "status" };
    case "thinking":
      return { emit: "status", message: raw["active"] === false ? "Done thinking" : "Thinking" };
    case "stream":
      return { emit: "stream", text: toText(raw["data"] ?? raw["text"]) };
    case "log":
      return translateLog(raw);
    default:
      return raw;
  }
}

const toText = (chunk: unknown): string =>
  typeof chunk === "string" ? chunk : (JSON.stringify(chunk) ?? "");

/** `{ level: "warn", message, data }`. */
function translateLog({ level, message, data }: RawObject): RawObject {
  const logged = message === undefined ? data : data === undefined ? message : { message, data };
  return { emit: "log", level: level === "warn" ? "warning" : (level ?? "info"), data: logged };
}

/** `{ type: "image" | "code" | "document" | "embed" | "json", url | content, title }`. */
export function compatArtifact({ url, content, title, mimeType }: RawObject): Content | undefined {
  if (typeof content === "string") return { type: "text", text: content };
  if (typeof url !== "string") return undefined;
  return {
    type: "link",
    uri: url,
    name: typeof title === "string" ? title : url,
    ...(typeof mimeType === "string" ? { mimeType } : {}),
  };
}

/** Options that are translated, rejected or dropped. */
const COMPAT_OPTIONS = [
  "required",
  "multi",
  "includeTime",
  "multiple",
  "elicitationId",
  "placeholder",
  "layout",
  "columns",
  "filters",
  "filterField",
  "searchable",
  "searchPlaceholder",
  "step",
];

function translateAsk(raw: RawObject): RawObject {
  const { ask: kind, message, required, multi, multiple, includeTime, accept } = raw;
  if (typeof kind !== "string" || kind === "all" || kind === "outcome") return raw;
  if (typeof message === "string" && required === false)
    throw new InvalidAsk(message, "required: false is not supported; give it a fallback");
  if (typeof message === "string" && multiple === true)
    throw new InvalidAsk(message, "one ask.file takes one file");
  return {
    ...omit(raw, COMPAT_OPTIONS),
    ask: kind === "password" ? "secret" : kind === "select" && multi === true ? "multiselect" : kind,
    ...(includeTime === true ? { time: true } : {}),
    ...(typeof accept === "string" ? { accept: accept.split(",").map((type) => type.trim()) } : {}),
  };
}
