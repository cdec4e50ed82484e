/** Runs test/durable/chaos/main.ts with Vite, because Node 20 cannot run TypeScript. */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const path = fileURLToPath(new URL("../test/durable/chaos/main.ts", import.meta.url));
/** @type {{ module: { main: (args: readonly string[]) => Promise<number> } }} */
const { module } = await runnerImport(path);
process.exit(await module.main(process.argv.slice(2)));
