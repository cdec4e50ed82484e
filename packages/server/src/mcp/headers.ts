/**
 * What the headers of a request of 2026-07-28 must say: the same as its body, so that whoever stands in between can
 * route by them. Pure.
 */
import type { JsonSchema } from "@photon/core";
import { HEADER_MISMATCH, RpcError } from "../rpc/errors.ts";
import { isRecord, type Request } from "../rpc/message.ts";
import { claimedVersion } from "./envelope.ts";

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

type Header = (name: string) => string | undefined;

/** Throws where a header does not say what the body says. `params` are the headers of the tool that is called. */
export function checkHeaders(request: Request, header: Header, params: readonly ParamHeader[]): void {
  const { method } = request;
  const given = request.params ?? {};
  compare("MCP-Protocol-Version", header("mcp-protocol-version"), String(claimedVersion(request)));
  compare("Mcp-Method", header("mcp-method"), method);
  const namedBy = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = namedBy === undefined ? undefined : given[namedBy];
  if (typeof name === "string") compare("Mcp-Name", decoded(header("mcp-name")), name);
  for (const { header: suffix, path } of params) {
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      given["arguments"],
    );
    const sent = decoded(header(`mcp-param-${suffix.toLowerCase()}`));
    compareParam(`Mcp-Param-${suffix}`, sent, value);
  }
}

/** The parameters of a tool's input that are sent as headers too; or what is wrong with how they are named. */
export function paramHeadersIn(schema: JsonSchema): readonly ParamHeader[] | { readonly problem: string } {
  const found: ParamHeader[] = [];
  const problem = collect(schema, [], found);
  return problem === undefined ? found : { problem };
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function collect(schema: unknown, path: readonly string[], found: ParamHeader[]): string | undefined {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  if (!isRecord(properties)) return undefined;
  for (const [name, property] of Object.entries(properties)) {
    const inside = [...path, name];
    const header = isRecord(property) ? property["x-mcp-header"] : undefined;
    if (header !== undefined && isRecord(property)) {
      const where = `the x-mcp-header of ${inside.join(".")}`;
      if (typeof header !== "string" || !TOKEN.test(header)) return `${where} is no name of a header`;
      if (!["string", "integer", "boolean"].includes(String(property["type"])))
        return `${where} stands with something that is no string, integer or boolean`;
      if (found.some((other) => other.header.toLowerCase() === header.toLowerCase()))
        return `${where} is there twice`;
      found.push({ header, path: inside });
    }
    const deeper = collect(property, inside, found);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function compare(name: string, sent: string | undefined, expected: string): void {
  if (sent?.trim() !== expected)
    throw mismatch(sent === undefined ? `${name} is missing` : `${name} does not say what the body says`);
}

function compareParam(name: string, sent: string | undefined, value: unknown): void {
  if (value === undefined || value === null) {
    if (sent !== undefined) throw mismatch(`${name} says what the body does not`);
    return;
  }
  if (typeof value === "number" && sent !== undefined && sent.trim() !== "" && Number(sent) === value) return;
  // What is no text, number or boolean is none of what a header can say; the check of the input refuses it.
  compare(name, sent, typeof value === "string" ? value : JSON.stringify(value));
}

/** Text that a header cannot hold is sent in base64, between `=?base64?` and `?=`. */
function decoded(sent: string | undefined): string | undefined {
  const [, inside] = /^\s*=\?base64\?([A-Za-z0-9+/]*={0,2})\?=\s*$/.exec(sent ?? "") ?? [];
  return inside === undefined ? sent : Buffer.from(inside, "base64").toString("utf8");
}

const mismatch = (sentence: string): RpcError => new RpcError(HEADER_MISMATCH, `${sentence}.`);
