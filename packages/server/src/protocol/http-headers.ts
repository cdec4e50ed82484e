/** The `Mcp-*` headers of a request of 2026-07-28 must equal its body, so that a proxy can route by them. Pure. */
import { isUtf8 } from "node:buffer";
import { InvalidDefinition, type JsonSchema } from "@photon/core";
import { HEADER_MISMATCH, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Request, type JsonObject } from "../jsonrpc/messages.ts";
import { declaredRevision } from "./request-meta.ts";

/** The parameter of each method that is its `Mcp-Name`. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** A parameter of a tool that clients also send as a header. */
export interface ParamHeader {
  readonly header: string;
  /** The path of its value in the arguments. */
  readonly path: readonly string[];
}

/** The value of a header, without the blanks around it. */
type Header = (name: string) => string | undefined;

/** Throws where a header and the body differ. `params` are the headers of the tool that is called. */
export function checkHeaders(request: Request, header: Header, params: readonly ParamHeader[]): void {
  const { method } = request;
  const given = request.params ?? {};
  const version = declaredRevision(request);
  // A body without a version is refused where its `_meta` is parsed.
  if (typeof version === "string") compare("MCP-Protocol-Version", header("mcp-protocol-version"), version);
  compare("Mcp-Method", header("mcp-method"), method);
  const namedBy = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = namedBy === undefined ? undefined : given[namedBy];
  if (typeof name === "string") compare("Mcp-Name", decodeHeader("Mcp-Name", header("mcp-name")), name);
  for (const { header: suffix, path } of params) {
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      given["arguments"],
    );
    const title = `Mcp-Param-${suffix}`;
    compareParam(title, decodeHeader(title, header(title.toLowerCase())), value);
  }
}

/** The parameters in a tool's input schema that clients send as headers. Throws if one of them is invalid. */
export function paramHeadersIn(tool: string, schema: JsonSchema): readonly ParamHeader[] {
  const found: ParamHeader[] = [];
  collect(tool, schema, [], found);
  return found;
}

const HEADER = "x-mcp-header";
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Walks a schema. Only a parameter that is reached by `properties` alone has one path in the arguments. */
function collect(tool: string, schema: unknown, path: readonly string[], found: ParamHeader[]): void {
  if (!isRecord(schema)) return;
  const { properties, ...others } = schema;
  const isInput = path.length === 0;
  const hasOwn = !isInput && Object.hasOwn(schema, HEADER);
  const ownProblem = hasOwn ? problemWith(schema, found) : undefined;
  const problem = hasHeader(others, !isInput) ? "is not reached by properties alone" : ownProblem;
  if (problem !== undefined) {
    const where = isInput ? "the whole input" : path.join(".");
    throw new InvalidDefinition(`The input of the tool ${tool}: the ${HEADER} of ${where} ${problem}.`);
  }
  if (hasOwn) found.push({ header: String(schema[HEADER]), path });
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {}))
    collect(tool, property, [...path, name], found);
}

/** The problem of a parameter's header, as a phrase. */
function problemWith(
  { [HEADER]: header, type }: JsonObject,
  found: readonly ParamHeader[],
): string | undefined {
  if (typeof header !== "string" || !TOKEN.test(header)) return "is not a header name";
  if (type !== "string" && type !== "integer" && type !== "boolean")
    return "is on a parameter that is not a string, integer or boolean";
  const isTaken = found.some((other) => other.header.toLowerCase() === header.toLowerCase());
  return isTaken ? "is used twice" : undefined;
}

/** Keywords whose values are not schemas, and may hold anything. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose values are schemas by names that the author chose. */
const BY_NAME: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Whether a part of a schema has a header; `isOwn`: apart from its own. */
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
    throw mismatch(sent === undefined ? `${name} is missing` : `${name} differs from the body`);
}

/** A decimal number; `Number` accepts more spellings. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function compareParam(name: string, sent: string | undefined, value: unknown): void {
  if (value === undefined || value === null) {
    if (sent !== undefined) throw mismatch(`${name} has a value, and the body has none`);
    return;
  }
  // A value that no header can have. The check of the input refuses it with a reason.
  if (typeof value === "object") return;
  if (typeof value === "number" && DECIMAL.test(sent ?? "") && Number(sent) === value) return;
  compare(name, sent, typeof value === "string" ? value : JSON.stringify(value));
}

/** A text that a header cannot contain is sent as `=?base64?<base64>?=`. */
function decodeHeader(name: string, sent: string | undefined): string | undefined {
  const [, inside] = /^=\?base64\?(.*)\?=$/.exec(sent ?? "") ?? [];
  if (inside === undefined) return sent;
  const bytes = Buffer.from(inside, "base64");
  // Node decodes invalid base64 as far as it can, without an error.
  if (bytes.toString("base64") !== inside || !isUtf8(bytes))
    throw mismatch(`${name} is not a text in base64`);
  return bytes.toString("utf8");
}

const mismatch = (sentence: string): RpcError => new RpcError(HEADER_MISMATCH, `${sentence}.`);
