/**
 * One of several processes that serve the same tools; its keys are in the environment.
 *
 * Usage: node serve.mjs <the folder of the ledger>
 */
import { createServer } from "@photon/server";
import { draw, eager, hasty, wizard } from "./wizard.mjs";

const [, , folder = ""] = process.argv;
const server = createServer({ tools: [wizard(folder), eager(folder), draw, hasty] });
const { url } = await server.listen();
process.stdout.write(`${url}\n`);
