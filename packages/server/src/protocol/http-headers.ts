/**
 * What the headers of a request of 2026-07-28 must say: the same as its body, so that whoever stands in between can
 * route by them. Pure.
 */
import { isUtf8 } from "node:buffer";
import type { JsonSchema } from "@photon/core";
import { HEADER_MISMATCH, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Request, type JsonObject } from "../jsonrpc/messages.ts";
import { declaredRevision } from "./request-meta.ts";

/** Which parameter of each method is its `Mcp-Name`. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** A parameter of a tool's that is sent as a header too. */
export interface ParamHeader {
  readonly header: string;
  /** Where its value stands in the arguments. */
  readonly path: readonly string[];
}

/** What a header says, without the blanks around it: HTTP does not count them. */
type Header = (name: string) => string | undefined;

/** Throws where a header does not say what the body says. `params` are the headers of the tool that is called. */
export function checkHeaders(request: Request, header: Header, params: readonly ParamHeader[]): void {
  const { method } = request;
  const given = request.params ?? {};
  const version = declaredRevision(request);
  // A body that does not say its version differs from nothing: whoever reads the envelope refuses it.
  if (typeof version === "string") compare("MCP-Protocol-Version", header("mcp-protocol-version"), version);
  compare("Mcp-Method", header("mcp-method"), method);
  const namedBy = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = namedBy === undefined ? undefined : given[namedBy];
  if (typeof name === "string") compare("Mcp-Name", decoded("Mcp-Name", header("mcp-name")), name);
  for (const { header: suffix, path } of params) {
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      given["arguments"],
    );
    const title = `Mcp-Param-${suffix}`;
    compareParam(title, decoded(title, header(title.toLowerCase())), value);
  }
}

/** The parameters of a tool's input that are sent as headers too; or what is wrong with how they are named. */
export function paramHeadersIn(schema: JsonSchema): readonly ParamHeader[] | { readonly problem: string } {
  const found: ParamHeader[] = [];
  const problem = collect(schema, [], found);
  return problem === undefined ? found : { problem };
}

const HEADER = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Looks through a schema. Only what is reached by `properties` alone has one place in the arguments. */
function collect(schema: unknown, path: readonly string[], found: ParamHeader[]): string | undefined {
  if (!isRecord(schema)) return undefined;
  const { properties, ...others } = schema;
  if (hasHeader(others, path.length > 0)) {
    const where = path.length === 0 ? "the whole input" : path.join(".");
    return `the ${HEADER} of ${where} is not reached by properties alone`;
  }
  if (path.length > 0 && Object.hasOwn(schema, HEADER)) {
    const problem = problemWith(schema, found);
    if (problem !== undefined) return `the ${HEADER} of ${path.join(".")} ${problem}`;
    found.push({ header: String(schema[HEADER]), path });
  }
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const deeper = collect(property, [...path, name], found);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function problemWith(property: JsonObject, found: readonly ParamHeader[]): string | undefined {
  const { [HEADER]: header, type } = property;
  if (typeof header !== "string" || !TOKEN.test(header)) return "is no name of a header";
  if (type !== "string" && type !== "integer" && type !== "boolean")
    return "stands with something that is no string, integer or boolean";
  const isTaken = found.some((other) => other.header.toLowerCase() === header.toLowerCase());
  return isTaken ? "is there twice" : undefined;
}

/** Keywords whose values are not schemas, and may hold anything. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose values are schemas by names that are somebody's own. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Whether there is a header anywhere in a part of a schema; `isOwn`: beside the one of its own. */
function hasHeader(schema: unknown, isOwn = false): boolean {
  if (Array.isArray(schema)) return schema.some((one) => hasHeader(one));
  if (!isRecord(schema)) return false;
  if (!isOwn && Object.hasOwn(schema, HEADER)) return true;
  return Object.entries(schema).some(([keyword, value]) => {
    if (DATA.has(keyword)) return false;
    return BY_NAME.has(keyword) && isRecord(value)
      ? Object.values(value).some((one) => hasHeader(one))
      : hasHeader(value);
  });
}

function compare(name: string, sent: string | undefined, expected: string): void {
  if (sent !== expected)
    throw mismatch(sent === undefined ? `${name} is missing` : `${name} does not say what the body says`);
}

/** A number as everybody reads it; `Number` reads more than that. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function compareParam(name: string, sent: string | undefined, value: unknown): void {
  if (value === undefined || value === null) {
    if (sent !== undefined) throw mismatch(`${name} says what the body does not`);
    return;
  }
  // None of what a header can say: the check of the input refuses it, and says why.
  if (typeof value === "object") return;
  if (typeof value === "number" && DECIMAL.test(sent ?? "") && Number(sent) === value) return;
  compare(name, sent, typeof value === "string" ? value : JSON.stringify(value));
}

/** Text that a header cannot hold is sent in base64, between `=?base64?` and `?=`. What stands there must be that. */
function decoded(name: string, sent: string | undefined): string | undefined {
  const [, inside] = /^=\?base64\?(.*)\?=$/.exec(sent ?? "") ?? [];
  if (inside === undefined) return sent;
  const bytes = Buffer.from(inside, "base64");
  // Node reads what is no base64 as far as it can make something of it.
  if (bytes.toString("base64") !== inside || !isUtf8(bytes)) throw mismatch(`${name} is no text in base64`);
  return bytes.toString("utf8");
}

const mismatch = (sentence: string): RpcError => new RpcError(HEADER_MISMATCH, `${sentence}.`);
