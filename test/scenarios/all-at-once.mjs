/**
 * Runs a server over stdio for a client that was busy: from the first progress of a call on, what the server writes is
 * kept until the answer is there too, and passed on in one write.
 *
 * Usage: node all-at-once.mjs <the server's program> [its arguments]
 */
import { spawn } from "node:child_process";

const NEWLINE = "\n".charCodeAt(0);

const server = spawn(process.execPath, process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(server.stdin);

/** What was not passed on yet. */
let kept = Buffer.alloc(0);
server.stdout.on("data", (/** @type {Buffer} */ chunk) => {
  kept = Buffer.concat([kept, chunk]);
  if (kept.at(-1) !== NEWLINE) return;
  const last = kept.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
  if (last.includes('"method":"notifications/progress"')) return;
  process.stdout.write(kept);
  kept = Buffer.alloc(0);
});
