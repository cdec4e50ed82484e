/**
 * Runs the commands of the README's quick start, from a fresh clone in an empty folder, and prints the time of each.
 *
 * Usage: node scripts/quick-start.mjs [--working-tree]    (--working-tree: with uncommitted changes, instead of the last commit)
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const copiesWorkingTree = process.argv.includes("--working-tree");
/** The answers to the questions of the quick start's tool. */
const ANSWERS = "Ada\nno\n";

const folder = mkdtempSync(join(tmpdir(), "photon-quick-start-"));
/** @type {(() => void)[]} */
const servers = [];
try {
  const clone = join(folder, "photon");
  const began = performance.now();
  timed(copiesWorkingTree ? "copy the working tree" : "git clone", () => copyRepository(clone));
  let cwd = clone;
  for (const { line, isServer } of linesOf(readFileSync(join(clone, "README.md"), "utf8"))) {
    if (isServer) servers.push(await serve(line, cwd));
    else cwd = timed(line, () => run(line, cwd));
  }
  console.log(`From the clone to a tool that asks, in the terminal and in a client: ${seconds(began)}`);
} finally {
  for (const stop of servers) stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * The commands of the quick start, in order.
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
function copyRepository(into) {
  if (!copiesWorkingTree) {
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
 * Runs a line in a shell. Returns the folder in which the shell ended.
 *
 * @param {string} line
 * @param {string} cwd
 */
function run(line, cwd) {
  const pwdFile = join(folder, "pwd");
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", `${line}\npwd > "${pwdFile}"`], {
    cwd,
    input: ANSWERS,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${line} ended with ${status}:\n${stdout}${stderr}`);
  return readFileSync(pwdFile, "utf8").trimEnd();
}

/**
 * Starts a server, and waits until it prints that it serves. Returns a function that stops it.
 *
 * @param {string} line
 * @param {string} cwd
 */
async function serve(line, cwd) {
  const began = performance.now();
  // `detached` creates a process group, so that one signal stops npx, the shell and the server.
  const child = spawn("sh", ["-c", line], { cwd, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const stop = () => void (child.pid !== undefined && process.kill(-child.pid, "SIGTERM"));
  /** @type {string[]} */
  const output = [];
  for await (const text of createInterface({ input: child.stderr })) {
    output.push(text);
    if (!/ serves /.test(text)) continue;
    console.log(`${seconds(began).padStart(8)}  ${line}`);
    child.stderr.resume();
    return stop;
  }
  throw new Error(`${line} ended:\n${output.join("\n")}`);
}

/**
 * Runs `act`, and prints the time that it took.
 *
 * @template Result
 * @param {string} line
 * @param {() => Result} act
 * @returns {Result}
 */
function timed(line, act) {
  const began = performance.now();
  const result = act();
  console.log(`${seconds(began).padStart(8)}  ${line}`);
  return result;
}

/** @param {number} began */
function seconds(began) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
