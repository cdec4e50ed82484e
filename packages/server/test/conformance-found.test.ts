/** What the official conformance suite found, and what stood beside it. */
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { listening } from "./wire/servers.ts";

const MODERN = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const ACCEPTED = { status: 200, code: undefined };
const TOO_LITTLE = { status: 400, code: -32602 };
const MISMATCH = { status: 400, code: -32020 };

/** Sends a request as 2026-07-28 has it, with these parameters and headers; how it was answered. */
async function post(
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly code: number | undefined }> {
  const { url } = await listening({ tools: [routed] });
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  // Whatever else it says, it is JSON-RPC.
  const { error } = (await answer.json()) as { readonly error?: { readonly code: number } };
  return { status: answer.status, code: error?.code };
}

/** A region is named in a header as well. */
const routed = tool({
  name: "routed",
  input: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  },
  async *run({ region }) {
    return region;
  },
});

describe("a request that does not say which revision it is of", () => {
  it.each([
    ["nothing", {}],
    ["only what its client can do", { _meta: { [CAPABILITIES]: {} } }],
    ["it with a number", { _meta: { [VERSION]: 20260728, [CAPABILITIES]: {} } }],
  ])(verifies("C5", "is told so, and not that a header differs: it says %s"), async (_, params) => {
    expect(await post("server/discover", params)).toEqual(TOO_LITTLE);
  });
});

describe("a parameter that is named in a header too", () => {
  const call = (region: string, header: string): ReturnType<typeof post> =>
    post(
      "tools/call",
      { name: "routed", arguments: { region }, _meta: { [VERSION]: MODERN, [CAPABILITIES]: {} } },
      { "mcp-name": "routed", "mcp-param-region": header },
    );
  const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

  it.each([
    ["a text no header can hold", "Zürich ❄", base64("Zürich ❄")],
    ["blanks at its ends, in base64", "  north ", base64("  north ")],
    ["a text that looks like base64, in base64", base64("north"), base64(base64("north"))],
    ["the beginning of base64 only", "=?base64?bm9ydGg=", "=?base64?bm9ydGg="],
    ["the end of base64 only", "bm9ydGg=?=", "bm9ydGg=?="],
    ["base64 in another case, which is none", "=?BASE64?bm9ydGg=?=", "=?BASE64?bm9ydGg=?="],
    ["nothing, in base64", "", base64("")],
  ])(verifies("C5", "may be %s"), async (_, region, header) => {
    expect(await call(region, header)).toEqual(ACCEPTED);
  });

  it.each([
    ["base64 without its padding", "Hello", "=?base64?SGVsbG8?="],
    ["base64 with too much of it", "Hello", "=?base64?SGVsbG8==?="],
    ["base64 with other letters in it", "Hello", "=?base64?SGVs!!!bG8=?="],
    ["base64 with blanks in it", "Hello", "=?base64?SGVs bG8=?="],
    ["base64 of what is no text", "\uFFFD", "=?base64?/w==?="],
    ["no base64 where it says so, even if the body says the same", "=?base64?!?=", "=?base64?!?="],
  ])(verifies("C5", "is refused as %s"), async (_, region, header) => {
    expect(await call(region, header)).toEqual(MISMATCH);
  });
});
