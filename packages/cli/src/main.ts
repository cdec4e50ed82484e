import { respond } from "./respond.ts";

const response = respond(process.argv.slice(2));
process.stdout.write(response.stdout);
process.stderr.write(response.stderr);
// Not `process.exit`: it would cut off what a slow reader has not taken yet.
process.exitCode = response.exitCode;
