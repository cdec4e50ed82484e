/** What a comment adds to a schema: a description, and constraints where they fit the type. */
import type { JsonSchema } from "@photon/core";
import { isRecord } from "../is-record.ts";
import { RULES, type Rule } from "./constraint-rules.ts";
import type { Described, Tag } from "./read-doc.ts";
import { refuse, type SourceFile } from "./sources.ts";

const FORMATS =
  "date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uri-template, url, uuid, regex, json-pointer";

/** The schema with what its comment says; `file` is where the comment is. */
export function applyDoc(schema: JsonSchema, { description, tags }: Described, file: SourceFile): JsonSchema {
  const described = description === undefined ? schema : { ...schema, description };
  return tags.reduce((before, tag) => applyTag(before, tag, file), described);
}

function applyTag(schema: JsonSchema, tag: Tag, file: SourceFile): JsonSchema {
  if (tag.name === "title") return { ...schema, title: lineOf(tag) };
  if (tag.name === "deprecated") return { ...schema, deprecated: true };
  if (tag.name === "default") return { ...schema, default: jsonOf(lineOf(tag)) };
  if (!Object.hasOwn(RULES, tag.name)) return schema;
  const rules = RULES[tag.name] ?? [];
  const rule = rules.find((candidate) => typesOf(schema).includes(candidate.for));
  if (rule === undefined) {
    const wanted = rules.map((candidate) => `${candidate.for}s`).join(", ");
    throw refuse(file, tag, `@${tag.name} is for ${wanted}, and this is none; take it out`);
  }
  return { ...schema, [rule.keyword]: valueOf(rule, tag, file) };
}

/** A constraint ends with its line. */
const lineOf = ({ value }: Tag): string => (value.split("\n")[0] ?? "").trim();

function valueOf({ takes, keyword }: Rule, tag: Tag, file: SourceFile): unknown {
  const { name } = tag;
  if (takes === "flag") return keyword === "type" ? "integer" : true;
  if (takes === "text") return textOf(keyword, tag, file);
  // What follows a number is said of it.
  const [value = ""] = lineOf(tag).split(/\s/);
  const number = Number(value);
  const isFit = takes === "count" ? Number.isInteger(number) && number >= 0 : Number.isFinite(number);
  if (value === "" || !isFit) {
    const wanted = takes === "count" ? "a whole number" : "a number";
    throw refuse(file, tag, `@${name} takes ${wanted}, not ${JSON.stringify(value)}; correct it`);
  }
  return number;
}

function textOf(keyword: string, tag: Tag, file: SourceFile): string {
  const { name } = tag;
  const value = lineOf(tag);
  if (keyword === "format" && !FORMATS.split(", ").includes(value))
    throw refuse(file, tag, `${JSON.stringify(value)} is no format; take one of ${FORMATS}`);
  if (keyword === "pattern" && !isPattern(value))
    throw refuse(file, tag, `@${name} ${JSON.stringify(value)} is no regular expression; correct it`);
  return value;
}

/** Read as JSON Schema reads patterns. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}

/** A value as it is written in a comment: JSON, or else a text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.replaceAll(/^'(.*)'$/g, "$1");
  }
}

/** What a schema lets through; `null` beside it makes no difference. */
function typesOf({ type, anyOf }: JsonSchema): readonly unknown[] {
  const inner = Array.isArray(anyOf) ? anyOf.filter(isRecord).map((part) => part["type"]) : [];
  const types: readonly unknown[] = [type, inner].flat(2);
  return types.map((one) => (one === "integer" ? "number" : one));
}
