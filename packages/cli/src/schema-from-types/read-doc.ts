/** The JSDoc comment of something, taken apart. Offsets are those of the file, so that what is wrong in it can be shown. */
import { RULES } from "./constraint-rules.ts";
import type { SourceFile, Span } from "./sources.ts";

/** `@minimum 1` on a line of its own, or `{@minimum 1}` within a text. */
export interface Tag {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

export interface Described {
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

/** A tag begins a line; a constraint may also follow the text: `How long. @minimum 1`. */
const HEAD = new RegExp(`(?<=^|\\n)[ \\t]*@(\\w+)|(?<=[ \\t])@(${Object.keys(RULES).join("|")})\\b`, "g");

const NO_DOC: Doc = { params: [], tags: [] };

/** The JSDoc that stands right before a piece of source. */
export function docBefore({ comments, text }: SourceFile, { start }: Span): Doc {
  let at = start;
  for (const comment of comments.toReversed()) {
    if (comment.end > at) continue;
    if (text.slice(comment.end, at).trim() !== "") return NO_DOC;
    if (comment.type === "Block" && comment.value.startsWith("*"))
      return parseDoc(comment.value, comment.start + 2);
    at = comment.start;
  }
  return NO_DOC;
}

function parseDoc(comment: string, offset: number): Doc {
  // Stars become spaces, so that every letter keeps its place.
  const text = comment.replaceAll(/(^|\n)[ \t]*\*/g, (stars) => stars.replaceAll(/[ \t*]/g, " "));
  const heads = [...text.matchAll(HEAD)];
  const lead = describe(text.slice(0, heads[0]?.index ?? text.length), offset);
  const blocks = heads.map((head, index): Tag => {
    const from = head.index + head[0].length;
    const to = heads[index + 1]?.index ?? text.length;
    return {
      name: head[1] ?? head[2] ?? "",
      value: text.slice(from, to),
      start: offset + from,
      end: offset + to,
    };
  });
  const said = blocks.find(({ name }) => name === "description");
  const description = lead.description ?? (said && describe(said.value, said.start).description);
  return {
    ...(description === undefined ? {} : { description }),
    params: paramsIn(blocks),
    tags: [...lead.tags, ...blocks.map((tag) => ({ ...tag, value: tag.value.trim() }))],
  };
}

/** The parameters; a constraint that follows one is that one's. */
function paramsIn(blocks: readonly Tag[]): readonly ParamDoc[] {
  return blocks.flatMap((block, index) => {
    const param = block.name === "param" || block.name === "arg" ? paramOf(block) : undefined;
    if (param === undefined) return [];
    const after = blocks.slice(index + 1);
    const end = after.findIndex(({ name }) => !Object.hasOwn(RULES, name));
    return [{ ...param, tags: [...param.tags, ...after.slice(0, end < 0 ? undefined : end)] }];
  });
}

function paramOf({ value, start, end }: Tag): ParamDoc | undefined {
  const open = value.indexOf("{");
  const type = /^\s*\{/.test(value) ? bracedAt(value, open) : undefined;
  const from = type === undefined ? 0 : open + type.length + 2;
  const found = /^\s*(?:\[\s*([\w$.]+)\s*(?:=([^\]]*))?\]|([\w$.]+))(?:\s+-\s)?/.exec(value.slice(from));
  if (found === null) return undefined;
  const [head, optional, given, plain] = found;
  const about = from + head.length;
  return {
    name: optional ?? plain ?? "",
    isOptional: optional !== undefined || type?.endsWith("=") === true,
    ...(given === undefined ? {} : { default: given.trim() }),
    ...(type === undefined ? {} : { type: { text: type, start: start + open + 1 } }),
    ...describe(value.slice(about), start + about),
    start,
    end,
  };
}

/** What is between a brace and the one that closes it. */
function bracedAt(text: string, open: number): string | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(open + 1, at);
  }
  return undefined;
}

/** A text as a person reads it, and the tags that were in it. */
function describe(text: string, offset: number): Described {
  const inline = [...text.matchAll(/\{@(\w+)\s*((?:[^{}]|\{[^{}]*\})*)\}/g)];
  const tags = inline.map(({ 0: all, 1: name = "", 2: value = "", index }) => ({
    name,
    value: value.trim(),
    start: offset + index,
    end: offset + index + all.length,
  }));
  // A link is part of the text, a constraint is not.
  const said = text.replaceAll(/\{@(\w+)\s*((?:[^{}]|\{[^{}]*\})*)\}/g, (_, name: string, value: string) =>
    name.startsWith("link") ? (value.split("|").at(-1) ?? "").trim() : "",
  );
  const description = reflow(said);
  return { tags, ...(description === "" ? {} : { description }) };
}

/** Lines that were only broken to fit are joined; paragraphs and lists stay. */
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
