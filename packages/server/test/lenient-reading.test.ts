/** What clients send and read a little differently from what the server expects. */
import { request as httpRequest } from "node:http";
import { emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { listening, transports } from "./wire/servers.ts";
import { overWebSocket } from "../../../test/clients/carriers.ts";
import type { Message } from "../../../test/clients/messages.ts";
import { textOf } from "../../../test/clients/raw-client.ts";
import { echo } from "./wire/tools.ts";

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};

const ping = tool({
  name: "ping",
  async *run(input) {
    return JSON.stringify(input);
  },
});
const strict = tool({
  name: "strict",
  input: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false },
  async *run(input) {
    return JSON.stringify(input);
  },
});

describe.each(Object.entries(transports))("a tool over %s", (_, set) => {
  it(verifies("A7", "that takes no input is called with a parameter that a client made up"), async () => {
    const client = await (await set({ tools: [ping] })).connect();
    await client.initialize();

    const answer = await client.callTool("ping", { random_string: "dummy" });

    expect(answer.result?.["isError"]).toBeUndefined();
    expect(textOf(answer)).toBe("{}");
  });
});

it(verifies("A7", "a tool that takes some input refuses what it does not know"), async () => {
  const { url } = await listening({ tools: [strict, ping] });
  const client = await overWebSocket(url);
  await client.initialize();

  const extra = await client.callTool("strict", { dummy: "" });
  const listed = await client.request("tools/call", { name: "ping", arguments: ["dummy"] });

  expect(textOf(extra)).toContain("dummy");
  expect(extra.result?.["isError"]).toBe(true);
  expect(listed.result?.["isError"] ?? listed.error !== undefined).toBe(true);
});

it("progress is told without what binary fractions add to it, and always increases", async () => {
  const shares = [0.07, 0.14, 0.28, 0.29, 0.55, 0.57, 0.58, 0.5800001, 0.999999, 1];
  const telling = tool({
    name: "telling",
    async *run() {
      for (const share of shares) yield emit.progress(share);
    },
  });
  const { url } = await listening({ tools: [telling] });
  const client = await overWebSocket(url);
  await client.initialize();

  await client.callTool("telling", {}, { progressToken: 1 });

  const told = (client.messages.all as readonly Message[]).flatMap(({ method, params }) =>
    method === "notifications/progress" ? [params?.["progress"]] : [],
  );
  expect(told).toEqual([7, 14, 28, 29, 55, 57, 58, 58.001, 99.999, 100]);
});

/** The status of a request whose Accept is this, or that has none: `fetch` would add one. */
function statusWith(url: string, accept?: string): Promise<number | undefined> {
  const headers = { "content-type": "application/json", ...(accept === undefined ? {} : { accept }) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/mcp`, { method: "POST", headers });
    request.on("error", reject).on("response", (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    request.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO }));
  });
}

describe("the Accept of a POST", () => {
  it.each(["*/*", "application/json, text/*", "*/*;q=0.8"])(
    verifies("C9", "may be a range of types: %s"),
    async (accept) => {
      const { url } = await listening({ tools: [echo] });

      expect(await statusWith(url, accept)).toBe(200);
    },
  );

  it(verifies("C9", "has to be there, as MCP has it"), async () => {
    const { url } = await listening({ tools: [echo] });

    expect(await statusWith(url)).toBe(406);
  });
});

it(verifies("D5", "a caller that is not known is told which header to send"), async () => {
  const { url } = await listening({ tools: [echo], tokens: { ada: "a-token-that-is-long-enough" } });

  const refused = await fetch(`${url}/mcp`, { method: "POST" });

  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect(await refused.text()).toContain("Authorization: Bearer");
});
