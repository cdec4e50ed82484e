/** Runs test/durable/chaos/main.ts, which Node 20 cannot by itself: Vite reads TypeScript. */
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const path = fileURLToPath(new URL("../test/durable/chaos/main.ts", import.meta.url));
/** @type {{ module: { main: (args: readonly string[]) => Promise<number> } }} */
const { module } = await runnerImport(path);
process.exit(await module.main(process.argv.slice(2)));
