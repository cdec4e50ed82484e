/** JSDoc: descriptions, `@param`, and constraints such as `@minimum 1`, which become keywords of the schema. */
import type { JsonSchema } from "@photon/core";
import { parse, type Spec, tokenizers } from "comment-parser";
import { parseSync, type TSType } from "oxc-parser";
import { isRecord } from "../unknown.ts";
import { quote, type SourceFile, type Span, unsupported } from "./source-files.ts";

/** `@minimum 1` on a line of its own or behind a text, or `{@minimum 1}` within one. */
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

interface Rule {
  readonly keyword: string;
  readonly for: "number" | "string" | "array";
  readonly takes: "number" | "count" | "text" | "flag";
}

const rule = (type: Rule["for"], keyword: string, takes: Rule["takes"] = "count"): Rule => ({
  keyword,
  for: type,
  takes,
});

/** The keywords of a constraint, by type. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  minimum: [rule("number", "minimum", "number")],
  maximum: [rule("number", "maximum", "number")],
  exclusiveMinimum: [rule("number", "exclusiveMinimum", "number")],
  exclusiveMaximum: [rule("number", "exclusiveMaximum", "number")],
  multipleOf: [rule("number", "multipleOf", "number")],
  integer: [rule("number", "type", "flag")],
  minLength: [rule("string", "minLength")],
  maxLength: [rule("string", "maxLength")],
  pattern: [rule("string", "pattern", "text")],
  format: [rule("string", "format", "text")],
  minItems: [rule("array", "minItems")],
  maxItems: [rule("array", "maxItems")],
  uniqueItems: [rule("array", "uniqueItems", "flag")],
  min: [rule("number", "minimum", "number"), rule("string", "minLength"), rule("array", "minItems")],
  max: [rule("number", "maximum", "number"), rule("string", "maxLength"), rule("array", "maxItems")],
};

const isRule = (name: string): boolean => Object.hasOwn(RULES, name);

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

/** For JSDoc a tag begins a line. Parameters and constraints may also follow a text. */
const INLINE = new RegExp(`(?<=[ \\t])@(?=(?:param|arg|${Object.keys(RULES).join("|")})\\b)`, "g");

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
  const lead = describe(block.description, comment);
  const said = tags.find(({ spec }) => spec.tag === "description")?.spec;
  const description = lead.description ?? (said && describe(said.description, comment).description);
  const params: ParamDoc[] = [];
  const own: Tag[] = [...lead.tags];
  let last: (Described & { tags: Tag[] }) | undefined;
  for (const { spec, ...span } of tags) {
    const tag = { name: spec.tag, value: spec.description.trim(), ...span };
    if (isParam(spec)) {
      const param = paramOf(spec, span, file);
      params.push(param);
      last = param;
    } else if (isRule(spec.tag) && last !== undefined) {
      // A constraint is of the parameter before it.
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
  return {
    ...span,
    name: spec.name,
    isOptional: spec.optional || spec.type.endsWith("="),
    ...(spec.default === undefined ? {} : { default: spec.default }),
    ...(type === "" ? {} : { type: { text: type, start: file.text.indexOf("{", span.start) + 1 } }),
    ...describe(spec.description.replace(/^\s*-\s+/, ""), span),
  };
}

const WITHIN = /\{@(\w+)\s*((?:[^{}]|\{[^{}]*\})*)\}/g;

/** A text as people read it, and the constraints within it. */
function describe(text: string, span: Span): Described & { tags: Tag[] } {
  const tags = [...text.matchAll(WITHIN)].map(([, name = "", value = ""]) => ({
    ...span,
    name,
    value: value.trim(),
  }));
  const plain = text.replaceAll(WITHIN, (_, name: string, value: string) =>
    name.startsWith("link") ? (value.split("|").at(-1) ?? "").trim() : "",
  );
  const description = reflow(plain);
  return {
    tags: tags.filter(({ name }) => !name.startsWith("link")),
    ...(description === "" ? {} : { description }),
  };
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
  if (!isRule(tag.name)) return schema;
  const rules = RULES[tag.name] ?? [];
  const found = rules.find((candidate) => typesOf(schema).includes(candidate.for));
  if (found === undefined) {
    const types = rules.map((candidate) => `${candidate.for}s`).join(", ");
    throw unsupported(file, tag, `@${tag.name} is for ${types}, and this is none; take it out`);
  }
  return { ...schema, [found.keyword]: valueOf(found, tag, file) };
}

/** A constraint ends with its line. */
const firstLine = ({ value }: Tag): string => (value.split("\n")[0] ?? "").trim();

function valueOf({ takes, keyword }: Rule, tag: Tag, file: SourceFile): unknown {
  if (takes === "flag") return keyword === "type" ? "integer" : true;
  const line = firstLine(tag);
  if (keyword === "format" && !FORMATS.split(", ").includes(line))
    throw unsupported(file, tag, `${JSON.stringify(line)} is no format; take one of ${FORMATS}`);
  if (keyword === "pattern" && !isPattern(line))
    throw unsupported(file, tag, `@${tag.name} ${JSON.stringify(line)} is no regular expression; correct it`);
  if (takes === "text") return line;
  // A text may follow the number.
  const [value = ""] = line.split(/\s/);
  const number = Number(value);
  const isValid = takes === "count" ? Number.isInteger(number) && number >= 0 : Number.isFinite(number);
  if (value !== "" && isValid) return number;
  const expected = takes === "count" ? "a whole number" : "a number";
  throw unsupported(file, tag, `@${tag.name} takes ${expected}, not ${JSON.stringify(value)}; correct it`);
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
export function refuseRules({ tags }: Doc, file: SourceFile): void {
  const [first] = tags;
  // Behind another tag it is about that one: `@returns a number, @minimum 1`.
  if (first !== undefined && isRule(first.name))
    throw unsupported(file, first, `@${first.name} is for a parameter; write it behind the @param of one`);
}
