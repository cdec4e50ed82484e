/**
 * One of several processes on one store.
 *
 * Usage: node serve-node.mjs <address of the store> <file of what is told>; PHOTON_KEYS has its keys. It ends with its input.
 */
import { createServer, openStore } from "@photon/server";
import { order } from "./order.mjs";

const [, , address = "", records = ""] = process.argv;
const server = createServer({ tools: [order(records)], store: await openStore(address), lease: "2s" });
const { url } = await server.listen();
process.stdout.write(`${url}\n`);
process.stdin.resume().on("end", () => process.exit());
