/**
 * The questions in the source of a body: its `ask.text("…")`, and its `yield { ask: "text", … }`.
 *
 * Questions of other functions, and of `ask` under another name, are not found. Whether a question is asked depends on
 * the run.
 */
import { askKinds } from "@photon/core";
import { isRecord } from "../unknown.ts";

export interface KnownAsk {
  readonly kind: string;
  /** Its text, with "…" for the parts that are not literal: "Book it for … nights?". */
  readonly message?: string;
  readonly id?: string;
  readonly dangerous?: true;
}

type Node = Readonly<Record<string, unknown>>;

export async function asksIn(body: (...args: never) => unknown): Promise<readonly KnownAsk[]> {
  const { parseSync } = await import("oxc-parser");
  const source = Function.prototype.toString.call(body);
  // The source of a method has no "function".
  for (const text of [`(${source})`, `({${source}})`]) {
    const { program, errors } = parseSync("body.js", text);
    if (errors.length === 0) return [...asksUnder(program)];
  }
  return [];
}

/** In the order of the source; `id` is the name that a round gives to the question here. */
function* asksUnder(value: unknown, id?: string): Generator<KnownAsk> {
  if (Array.isArray(value)) for (const one of value) yield* asksUnder(one, id);
  if (!isRecord(value)) return;
  const created = askCreatedBy(value);
  if (created !== undefined) {
    // The fields of a form are no questions of their own.
    yield id === undefined ? created : { ...created, id };
  } else if (isCallOf(value, "all")) {
    for (const { name, value: question } of propertiesOf(argumentsOf(value)[0]))
      yield* asksUnder(question, name);
  } else {
    const inside = isCallOf(value, "outcome") ? id : undefined;
    for (const part of Object.values(value)) yield* asksUnder(part, inside);
  }
}

/** The question that a node creates, if any. */
function askCreatedBy(node: Node): KnownAsk | undefined {
  if (node["type"] === "CallExpression") {
    const kind = askKinds.find((one) => isCallOf(node, one));
    const [message, ...rest] = argumentsOf(node);
    return kind === undefined ? undefined : knownAsk(kind, message, rest.flatMap(propertiesOf));
  }
  if (node["type"] !== "YieldExpression") return undefined;
  const properties = propertiesOf(node["argument"]);
  const kind =
    textOf(valueOf("ask", properties)) ?? (valueOf("schema", properties) === undefined ? "" : "form");
  const isAsk =
    askKinds.some((one) => one === kind) && (textOf(valueOf("emit", properties)) ?? "ask") === "ask";
  return isAsk ? knownAsk(kind, valueOf("message", properties), properties) : undefined;
}

function knownAsk(kind: string, message: unknown, properties: readonly Property[]): KnownAsk {
  const text = textOf(message);
  const id = textOf(valueOf("id", properties));
  const dangerous = valueOf("dangerous", properties);
  return {
    kind,
    ...(text === undefined ? {} : { message: text }),
    ...(id === undefined ? {} : { id }),
    ...(isRecord(dangerous) && dangerous["value"] === true ? { dangerous: true } : {}),
  };
}

/** Whether it is `ask.text(…)`. */
function isCallOf(node: Node, kind: string): boolean {
  const { callee } = node;
  if (node["type"] !== "CallExpression" || !isRecord(callee) || callee["type"] !== "MemberExpression")
    return false;
  const { object, property } = callee;
  return isRecord(object) && object["name"] === "ask" && isRecord(property) && property["name"] === kind;
}

const argumentsOf = (node: Node): readonly unknown[] =>
  Array.isArray(node["arguments"]) ? node["arguments"] : [];

interface Property {
  readonly name: string;
  readonly value: unknown;
}

/** The properties of an object literal, without spread and computed ones. */
function propertiesOf(node: unknown): readonly Property[] {
  if (!isRecord(node) || !Array.isArray(node["properties"])) return [];
  return node["properties"].filter(isRecord).flatMap(({ key, value, computed }) => {
    const name = isRecord(key) && computed !== true ? (key["name"] ?? key["value"]) : undefined;
    return typeof name === "string" ? [{ name, value }] : [];
  });
}

const valueOf = (name: string, properties: readonly Property[]): unknown =>
  properties.find((property) => property.name === name)?.value;

/** A literal text, with "…" in place of the expressions of a template. */
function textOf(node: unknown): string | undefined {
  if (!isRecord(node)) return undefined;
  if (node["type"] === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node["type"] !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return undefined;
  return node["quasis"]
    .filter(isRecord)
    .map(({ value }) => (isRecord(value) ? String(value["cooked"]) : ""))
    .join("…");
}
