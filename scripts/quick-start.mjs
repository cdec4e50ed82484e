/**
 * Does what the README's quick start says, from a fresh clone in an empty folder, and prints how long it took.
 *
 * Usage: node scripts/quick-start.mjs [--as-it-is]    (with --as-it-is: this tree, changes and all, not its last commit)
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const isAsItIs = process.argv.includes("--as-it-is");
/** What the tool of the quick start is answered. */
const ANSWERS = "Ada\nno\n";

const folder = mkdtempSync(join(tmpdir(), "photon-quick-start-"));
/** @type {(() => void)[]} */
const closers = [];
try {
  const clone = join(folder, "photon");
  const began = performance.now();
  report(isAsItIs ? "a copy of this tree" : "git clone", () => take(clone));
  let cwd = clone;
  for (const { line, isServer } of linesOf(readFileSync(join(clone, "README.md"), "utf8"))) {
    if (isServer) closers.push(await serve(line, cwd));
    else cwd = report(line, () => run(line, cwd));
  }
  console.log(`From nothing to a tool that asks, in the terminal and in a client: ${seconds(began)}`);
} finally {
  for (const close of closers) close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * The lines of the quick start, in their order.
 *
 * @param {string} page
 */
function linesOf(page) {
  const blocks = [...page.matchAll(/^```sh quick-start(-server)?\n([^]*?)^```/gm)];
  if (blocks.length === 0) throw new Error("The README has no quick start.");
  return blocks.flatMap(([, server, block = ""]) =>
    block
      .trimEnd()
      .split("\n")
      .map((line) => ({ line, isServer: server !== undefined })),
  );
}

/** @param {string} into */
function take(into) {
  if (!isAsItIs) {
    execFileSync("git", ["clone", "--quiet", root, into]);
    return;
  }
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\0"))
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(into, file));
}

/**
 * Runs a line as a shell does; gives back the folder it ended in.
 *
 * @param {string} line
 * @param {string} cwd
 */
function run(line, cwd) {
  const left = join(folder, "left");
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", `${line}\npwd > "${left}"`], {
    cwd,
    input: ANSWERS,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${line} ended with ${status}:\n${stdout}${stderr}`);
  return readFileSync(left, "utf8").trimEnd();
}

/**
 * Starts a server, and waits until it says that it serves; gives back what ends it.
 *
 * @param {string} line
 * @param {string} cwd
 */
async function serve(line, cwd) {
  const began = performance.now();
  // A group of its own: npx, the shell and the server end together.
  const child = spawn("sh", ["-c", line], { cwd, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const close = () => void (child.pid !== undefined && process.kill(-child.pid, "SIGTERM"));
  /** @type {string[]} */
  const said = [];
  for await (const text of createInterface({ input: child.stderr })) {
    said.push(text);
    if (!/ serves /.test(text)) continue;
    console.log(`${seconds(began).padStart(8)}  ${line}`);
    child.stderr.resume();
    return close;
  }
  throw new Error(`${line} ended:\n${said.join("\n")}`);
}

/**
 * Does something, and tells how long it took.
 *
 * @template Result
 * @param {string} line
 * @param {() => Result} act
 * @returns {Result}
 */
function report(line, act) {
  const began = performance.now();
  const result = act();
  console.log(`${seconds(began).padStart(8)}  ${line}`);
  return result;
}

/** @param {number} began */
function seconds(began) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
