/** What HTTP says of a message beside it, so that whoever stands in between can route by it (2026-07-28). Pure. */
import type { Headers } from "./channel.ts";
import { isRequest, type Outgoing } from "./message.ts";
import { isRecord } from "../is-record.ts";
import type { Fields } from "./record.ts";

/** Which parameter of each method is its `Mcp-Name`. */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

export function routingHeaders(message: Outgoing): Headers {
  if (!isRequest(message)) return {};
  const name = message.params?.[NAMED_BY[message.method] ?? ""];
  return {
    "mcp-method": message.method,
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}

/** The parameters of a tool that are sent as headers too, by its schema (`x-mcp-header`). */
export function paramHeaders(schema: unknown, given: unknown): Headers {
  if (!isRecord(schema) || !isRecord(given)) return {};
  const properties: Fields = isRecord(schema["properties"]) ? schema["properties"] : {};
  const found = Object.entries(properties).flatMap(([name, property]) => {
    const value = given[name];
    const header = isRecord(property) ? property["x-mcp-header"] : undefined;
    const inside = Object.entries(paramHeaders(property, value));
    return typeof header === "string" && isScalar(value)
      ? [...inside, [`mcp-param-${header.toLowerCase()}`, headerValue(String(value))] as const]
      : inside;
  });
  return Object.fromEntries(found);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Text that a header cannot hold goes in base64. */
function headerValue(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith("=?base64?");
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return `=?base64?${btoa(bytes.join(""))}?=`;
}
