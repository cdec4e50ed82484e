/**
 * One of several server processes on one store.
 *
 * Usage: node serve-node.mjs <module of tools> <lease> <grace>; PHOTON_STORE and PHOTON_KEYS are its store and keys. It
 * prints its address, closes at SIGTERM, and ends with its stdin. The line "sessions" is answered with their number, the line
 * "closing" with whether SIGTERM has come.
 */
import { pathToFileURL } from "node:url";
import { createInterface } from "node:readline";
import { createServer, openStore } from "@photon/server";

const [, , path = "", lease = "", grace = ""] = process.argv;
/** @type {Readonly<Record<string, import("@photon/core").Tool<never>>>} */
const tools = await import(pathToFileURL(path).href);
const store = await openStore(process.env["PHOTON_STORE"] ?? "");
const server = createServer({
  tools: Object.values(tools),
  store,
  lease: /** @type {import("@photon/core").Duration} */ (lease),
  grace: /** @type {import("@photon/core").Duration} */ (grace),
});

let isClosing = false;

async function close() {
  isClosing = true;
  await server.close();
  await store.close();
  process.exit();
}

process.once("SIGTERM", () => void close());

const { url } = await server.listen();
process.stdout.write(`${url}\n`);
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${line === "sessions" ? server.sessions : isClosing}\n`);
process.exit();
