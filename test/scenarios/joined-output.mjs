/**
 * Runs a server over stdio for a client that reads late: from the first progress of a call on, the output of the server is
 * kept until the response is there too, and then written at once.
 *
 * Usage: node joined-output.mjs <the program of the server> [its arguments]
 */
import { spawn } from "node:child_process";

const NEWLINE = "\n".charCodeAt(0);

const server = spawn(process.execPath, process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(server.stdin);

/** The output that was not written yet. */
let kept = Buffer.alloc(0);
server.stdout.on("data", (/** @type {Buffer} */ chunk) => {
  kept = Buffer.concat([kept, chunk]);
  if (kept.at(-1) !== NEWLINE) return;
  const last = kept.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
  if (last.includes('"method":"notifications/progress"')) return;
  process.stdout.write(kept);
  kept = Buffer.alloc(0);
});
