import { keepCompiled } from "./keep-compiled.ts";
import { photon } from "./photon.ts";
import { processWorld } from "./world.ts";

// A reader who has left is no error: what is left to say is said to nobody.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

keepCompiled();
const exitCode = await photon(process.argv.slice(2), processWorld);
// A tool may leave something behind that would keep the process. All that was written has been taken by now.
process.exit(exitCode);
