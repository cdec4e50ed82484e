/** A server with a store and open questions: another client has called durable tools, and disconnected. */
import { randomBytes } from "node:crypto";
import { ask, systemClock, tool } from "@photon/core";
import { createServer, memoryStore } from "@photon/server";

const HOUR = 3_600_000;

/** A durable tool that asks for a secret, which the kitchen sink does not have. */
const payHall = tool({
  name: "pay_hall",
  title: "Pay for a hall",
  description: "Pays for the hall of a concert",
  durable: true,
  async *run() {
    yield* ask.secret("The code of the band's card?", { id: "code" });
    return "Paid.";
  },
});

/** The calls of the other client, with their age. */
const CALLS = [
  { name: "release_song", age: 26 * HOUR },
  { name: "pay_hall", age: 3 * HOUR },
  ...Array.from({ length: 60 }, () => ({ name: "release_song", age: HOUR })),
];

/** @param {import("@photon/server").ServerOptions} options */
export async function startInboxServer(options) {
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  const server = createServer({
    ...options,
    tools: [...(options.tools ?? []), payHall],
    clock,
    store: memoryStore(clock),
    keys: [randomBytes(32).toString("base64")],
  });
  const { url } = await server.listen({ playground: true });
  for (const { name, age } of CALLS) {
    now = Date.now() - age;
    await callWithoutAnswer(url, name);
  }
  now = Date.now();
  return { server, url };
}

/**
 * @param {string} url
 * @param {string} name
 */
async function callWithoutAnswer(url, name) {
  const prefix = "io.modelcontextprotocol/";
  const meta = {
    [`${prefix}protocolVersion`]: "2026-07-28",
    [`${prefix}clientInfo`]: { name: "pictures", version: "1" },
    [`${prefix}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
  };
  const params = { name, arguments: {}, _meta: meta };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  if (!(await response.text()).includes("input_required")) throw new Error(`${name} has not asked.`);
}
