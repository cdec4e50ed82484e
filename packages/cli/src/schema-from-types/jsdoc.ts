/** JSDoc: descriptions, `@param`, and constraints such as `@minimum 1`, which become keywords of the schema. */
import type { JsonSchema } from "@photon/core";
import { parse, type Spec, tokenizers } from "comment-parser";
import { parseSync, type TSType } from "oxc-parser";
import { isRecord } from "../unknown.ts";
import { quote, type SourceFile, type Span, unsupported } from "./source-files.ts";

/** `@minimum 1` on a line of its own or after a text, or `{@minimum 1}` within one. */
interface Tag extends Span {
  readonly name: string;
  readonly value: string;
}

interface Described {
  readonly description?: string;
  readonly tags: readonly Tag[];
}

/** `@param {string} [city=Rome] where to look`. */
export interface ParamDoc extends Described, Span {
  /** `options.city` for a property of a parameter. */
  readonly name: string;
  readonly isOptional: boolean;
  readonly default?: string;
  readonly type?: { readonly text: string; readonly start: number };
}

export interface Doc extends Described {
  readonly params: readonly ParamDoc[];
}

/** The keyword of each constraint, by the type that it is for. */
const CONSTRAINTS: Readonly<Record<string, { readonly [type in "number" | "string" | "array"]?: string }>> = {
  minimum: { number: "minimum" },
  maximum: { number: "maximum" },
  exclusiveMinimum: { number: "exclusiveMinimum" },
  exclusiveMaximum: { number: "exclusiveMaximum" },
  multipleOf: { number: "multipleOf" },
  integer: { number: "type" },
  minLength: { string: "minLength" },
  maxLength: { string: "maxLength" },
  pattern: { string: "pattern" },
  format: { string: "format" },
  minItems: { array: "minItems" },
  maxItems: { array: "maxItems" },
  uniqueItems: { array: "uniqueItems" },
  min: { number: "minimum", string: "minLength", array: "minItems" },
  max: { number: "maximum", string: "maxLength", array: "maxItems" },
};

const isConstraint = (name: string): boolean => Object.hasOwn(CONSTRAINTS, name);

/** Whether a tag is of the parameter before it. */
const followsParam = (name: string): boolean => isConstraint(name) || name === "default" || name === "title";

const NO_DOC: Doc = { params: [], tags: [] };

/** The JSDoc right before a piece of source. */
export function docBefore(file: SourceFile, { start }: Span): Doc {
  let at = start;
  for (const comment of file.comments.toReversed()) {
    if (comment.end > at) continue;
    if (file.text.slice(comment.end, at).trim() !== "") return NO_DOC;
    if (comment.type === "Block" && comment.value.startsWith("*")) return parseDoc(comment, file);
    at = comment.start;
  }
  return NO_DOC;
}

const isParam = ({ tag }: Spec): boolean => tag === "param" || tag === "arg";

/** Other tags have a text, in which `[` and `{` mean nothing. */
const ofParams = (tokenize: (spec: Spec) => Spec) => (spec: Spec) => (isParam(spec) ? tokenize(spec) : spec);

const TOKENIZERS = [
  tokenizers.tag(),
  ofParams(tokenizers.type("preserve")),
  ofParams(tokenizers.name()),
  tokenizers.description("preserve"),
];

/** For JSDoc a tag begins a line. Parameters and their tags may also follow a text. */
const INLINE = new RegExp(
  `(?<=[ \\t])@(?=(?:param|arg|default|title|${Object.keys(CONSTRAINTS).join("|")})\\b)`,
  "g",
);

function parseDoc(comment: Span, file: SourceFile): Doc {
  const text = file.text.slice(comment.start, comment.end);
  const lines = text.replaceAll(INLINE, "\n * @");
  const [block] = parse(lines, { spacing: "preserve", tokenizers: TOKENIZERS });
  if (block === undefined) return NO_DOC;
  // The lines of the library are others than those of the file; the order of the tags is the same.
  let at = comment.start;
  const tags = block.tags.map((spec) => {
    const head = new RegExp(`(?<!\\{)@${spec.tag.replaceAll(/\W/g, "\\$&")}`);
    const start = at + Math.max(0, file.text.slice(at, comment.end).search(head));
    at = start + 1;
    return { spec, start, end: at + spec.tag.length };
  });
  const said = tags.find(({ spec }) => spec.tag === "description")?.spec.description;
  const description = textIn(block.description, comment, file) ?? textIn(said ?? "", comment, file);
  const params: ParamDoc[] = [];
  const own: Tag[] = [];
  let last: { tags: Tag[] } | undefined;
  for (const { spec, ...span } of tags) {
    const tag = { name: spec.tag, value: spec.description.trim(), ...span };
    if (isParam(spec)) {
      const param = paramOf(spec, span, file);
      params.push(param);
      last = param;
    } else if (followsParam(spec.tag) && last !== undefined) {
      last.tags.push(tag);
    } else {
      last = undefined;
      own.push(tag);
    }
  }
  return { ...(description === undefined ? {} : { description }), params, tags: own };
}

function paramOf(spec: Spec, span: Span, file: SourceFile): ParamDoc & { tags: Tag[] } {
  const [problem] = spec.problems;
  if (problem !== undefined || spec.name === "")
    throw unsupported(
      file,
      span,
      `This @param has no name that can be read (${problem?.message ?? "it is empty"}); write @param name text`,
    );
  const type = spec.type.replace(/=$/, "");
  const description = textIn(spec.description.replace(/^\s*-\s+/, ""), span, file);
  return {
    ...span,
    name: spec.name,
    isOptional: spec.optional || spec.type.endsWith("="),
    ...(spec.default === undefined ? {} : { default: spec.default }),
    ...(type === "" ? {} : { type: { text: type, start: file.text.indexOf("{", span.start) + 1 } }),
    ...(description === undefined ? {} : { description }),
    tags: [],
  };
}

/** A text as people read it, with the words of its links; undefined if it is empty. */
function textIn(text: string, span: Span, file: SourceFile): string | undefined {
  const plain = text.replaceAll(/\{@(\w+)\s*([^{}]*)\}?/g, (_, name: string, value: string) => {
    if (name.startsWith("link")) return (value.split("|").at(-1) ?? "").trim();
    throw unsupported(file, span, `{@${name} …} within a text is not read; write @${name} after the text`);
  });
  return reflow(plain) || undefined;
}

/** Joins the lines of a paragraph; paragraphs and lists stay. */
function reflow(text: string): string {
  const paragraphs = text.split(/\n[ \t\r]*\n/).map((paragraph) =>
    paragraph
      .split("\n")
      .map((line) => line.trim())
      .join("\n")
      .replaceAll(/\n(?![-*•]|\d+\.)/g, " ")
      .replaceAll(/ {2,}/g, " ")
      .trim(),
  );
  return paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
}

/** The type that a `@param` has in JavaScript, as a node with the offsets of the file. */
export function parseDocType({ type }: ParamDoc, file: SourceFile): TSType | undefined {
  if (type === undefined) return undefined;
  const before = "type T=";
  // A comment begins with more letters than `before` has.
  const padded = `${" ".repeat(Math.max(0, type.start - before.length))}${before}${type.text}`;
  const { program, errors } = parseSync("comment.ts", padded, { preserveParens: false });
  const [statement] = program.body;
  if (errors.length === 0 && statement?.type === "TSTypeAliasDeclaration") return statement.typeAnnotation;
  const span = { start: type.start, end: type.start + type.text.length };
  throw unsupported(file, span, `The type {${quote(file, span)}} cannot be read; write it as in TypeScript`);
}

const FORMATS =
  "date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uri-template, url, uuid, regex, json-pointer";

/** A schema with the description and the constraints of its comment, which is in `file`. */
export function withDoc(schema: JsonSchema, { description, tags }: Described, file: SourceFile): JsonSchema {
  const described = description === undefined ? schema : { ...schema, description };
  return tags.reduce((before, tag) => withTag(before, tag, file), described);
}

function withTag(schema: JsonSchema, tag: Tag, file: SourceFile): JsonSchema {
  if (tag.name === "title") return { ...schema, title: firstLine(tag) };
  if (tag.name === "deprecated") return { ...schema, deprecated: true };
  if (tag.name === "default") return { ...schema, default: jsonOf(firstLine(tag)) };
  const targets = Object.entries(isConstraint(tag.name) ? (CONSTRAINTS[tag.name] ?? {}) : {});
  if (targets.length === 0) return schema;
  const [, keyword] = targets.find(([type]) => typesOf(schema).includes(type)) ?? [];
  if (keyword !== undefined) return { ...schema, [keyword]: valueOf(keyword, tag, file) };
  const types = targets.map(([type]) => `${type}s`).join(", ");
  throw unsupported(file, tag, `@${tag.name} is for ${types}, which this is not; take it out`);
}

/** A constraint ends with its line. */
const firstLine = ({ value }: Tag): string => (value.split("\n")[0] ?? "").trim();

function valueOf(keyword: string, tag: Tag, file: SourceFile): unknown {
  const line = firstLine(tag);
  switch (keyword) {
    case "type":
      return "integer";
    case "uniqueItems":
      return true;
    case "format":
      if (FORMATS.split(", ").includes(line)) return line;
      throw unsupported(file, tag, `${JSON.stringify(line)} is not a format; use one of ${FORMATS}`);
    case "pattern":
      if (isPattern(line)) return line;
      throw unsupported(
        file,
        tag,
        `@pattern ${JSON.stringify(line)} is not a regular expression; correct it`,
      );
    default: {
      // A text may follow the number.
      const [value = ""] = line.split(/\s/);
      const number = Number(value);
      const isCount = /Length$|Items$/.test(keyword);
      const isValid = isCount ? Number.isInteger(number) && number >= 0 : Number.isFinite(number);
      if (value !== "" && isValid) return number;
      const expected = isCount ? "a whole number" : "a number";
      throw unsupported(
        file,
        tag,
        `@${tag.name} takes ${expected}, not ${JSON.stringify(value)}; correct it`,
      );
    }
  }
}

/** With the flag of JSON Schema. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}

/** A value in a comment: JSON, or else text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.replaceAll(/^'(.*)'$/g, "$1");
  }
}

/** The types that a schema allows. */
function typesOf({ type, anyOf }: JsonSchema): readonly unknown[] {
  const inner = Array.isArray(anyOf) ? anyOf.filter(isRecord).map((part) => part["type"]) : [];
  const types: readonly unknown[] = [type, inner].flat(2);
  return types.map((one) => (one === "integer" ? "number" : one));
}

/** Refuses constraints of a function: they belong to its parameters. */
export function refuseConstraints({ tags }: Doc, file: SourceFile): void {
  const [first] = tags;
  // After another tag it is about that one: `@returns a number, @minimum 1`.
  if (first !== undefined && isConstraint(first.name))
    throw unsupported(
      file,
      first,
      `@${first.name} is for a parameter; write it after the @param that it is for`,
    );
}
