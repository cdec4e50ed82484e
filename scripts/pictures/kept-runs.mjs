/** A server with a store, on which another client has called durable tools and left: what they ask waits for somebody. */
import { randomBytes } from "node:crypto";
import { ask, systemClock, tool } from "@photon/core";
import { createServer, memoryStore } from "@photon/server";

const HOUR = 3_600_000;

/** What the kitchen sink has none of: a durable tool that asks for a secret. */
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

/** What was called elsewhere, and how long ago. */
const CALLED = [
  { name: "release_song", ago: 26 * HOUR },
  { name: "pay_hall", ago: 3 * HOUR },
  ...Array.from({ length: 60 }, () => ({ name: "release_song", ago: HOUR })),
];

/** @param {import("@photon/server").ServerOptions} offered */
export async function openKept(offered) {
  let moment = 0;
  const clock = { ...systemClock, now: () => moment };
  const server = createServer({
    ...offered,
    tools: [...(offered.tools ?? []), payHall],
    clock,
    store: memoryStore(clock),
    keys: [randomBytes(32).toString("base64")],
  });
  const { url } = await server.listen({ playground: true });
  for (const { name, ago } of CALLED) {
    moment = Date.now() - ago;
    await callAndLeave(url, name);
  }
  moment = Date.now();
  return { server, url };
}

/**
 * @param {string} url
 * @param {string} name
 */
async function callAndLeave(url, name) {
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
  if (!(await response.text()).includes("input_required")) throw new Error(`${name} asks nothing.`);
}
