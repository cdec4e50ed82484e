import { runCli } from "./cli.ts";
import { enableCompileCache } from "./compile-cache.ts";
import { processIO } from "./io.ts";

// A closed pipe (`photon list | head`) is not an error: the rest of the output is dropped.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

enableCompileCache();
const exitCode = await runCli(process.argv.slice(2), processIO);
// A timer or socket that a tool left open would keep the process alive. All output has been written.
process.exit(exitCode);
