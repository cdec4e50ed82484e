import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { commands } from "../src/cli.ts";
import { runInProcess } from "./run-in-process.ts";
import { bin, temporaryFolder, type Ended } from "./temporary-folder.ts";
import { says } from "./tool-sources.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Runs the command in this process. */
const photon = (...args: readonly string[]): Promise<Ended> => runInProcess(args);

/** Runs the built command as a shell would. */
function photonProcess(...args: string[]): { stdout: string; stderr: string; exitCode: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8" });
  return { stdout, stderr, exitCode: status };
}

const help = `Usage: npx photon <command> [flags]

Serves and runs tools that ask people.

Commands:
  serve  serve tools to MCP clients
  run    run a tool in the terminal
  call   call a tool of any MCP server
  inbox  show and answer the open questions of durable runs
  list   list tools, prompts and resources, and the questions they ask
  new    create a tool and its test
  dev    serve over HTTP, WebSocket and SSE on one port, with the playground, and reload on change

Flags:
  -v, --version  print the version
  --verbose      show where an error was thrown
  -h, --help     print this help

"npx photon help <command>" shows the flags of a command.
`;

describe("photon", () => {
  it.each(["--version", "-v"])("prints the version of its package: %s", (flag) => {
    const { stdout, stderr, exitCode } = photonProcess(flag);

    expect(manifest).toMatchObject({ version: stdout.trimEnd() });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  it.each(["--help", "-h"])("prints what it is, its commands and its flags: %s", async (flag) => {
    expect(await photon(flag)).toEqual({ stdout: help, stderr: "", exitCode: 0 });
  });

  it("prints the help when both help and version are asked for", async () => {
    expect((await photon("--version", "--help")).stdout).toBe(help);
  });

  it("shows its help on stderr and exits 2 when it is asked for nothing", () => {
    expect(photonProcess()).toEqual({ stdout: "", stderr: help, exitCode: 2 });
  });

  it("takes the flags that every command has before the command too", async () => {
    expect(await photon("--help", "list")).toEqual(await photon("list", "--help"));
    expect((await photon("list", "--help")).stdout).toContain(
      "Usage: npx photon list [paths… | address | -- command] [flags]",
    );
  });

  it.each([...Object.keys(commands), "run nowhere.ts"])(
    "prints the same for help %s as for --help",
    async (typed) => {
      const words = typed.split(" ");

      expect(await photon("help", ...words)).toEqual(await photon(...words, "--help"));
    },
  );

  it.each([["help"], ["help", "help"]])("prints its help for %s", async (...words) => {
    expect(await photon(...words)).toEqual({ stdout: help, stderr: "", exitCode: 0 });
  });

  const unknown = '"npx photon --help" lists the commands.';
  const unknownFlag = '"npx photon --help" lists its flags.';
  it.each([
    ["a command there is not", ["dance"], `photon has no command "dance"; ${unknown}`],
    ["a command that is nearly one", ["srve"], 'photon has no command "srve"; did you mean serve?'],
    ["help for a command there is not", ["help", "dance"], `photon has no command "dance"; ${unknown}`],
    ["a command after a flag it knows", ["--version", "dance"], `photon has no command "dance"; ${unknown}`],
    ["an empty word", [""], `photon has no command ""; ${unknown}`],
    ["a name that every object has", ["constructor"], `photon has no command "constructor"; ${unknown}`],
    ["a long flag", ["--dance"], `photon has no flag "--dance"; ${unknownFlag}`],
    [
      "a long flag that is nearly one",
      ["--verison"],
      'photon has no flag "--verison"; did you mean --version?',
    ],
    ["a long flag with a value", ["--dance=tango"], `photon has no flag "--dance"; ${unknownFlag}`],
    ["a short flag", ["-x"], `photon has no flag "-x"; ${unknownFlag}`],
    ["a short flag behind one it knows", ["-vx"], `photon has no flag "-x"; ${unknownFlag}`],
    ["a flag that every object has", ["--constructor"], `photon has no flag "--constructor"; ${unknownFlag}`],
    ["a value for a flag that takes none", ["--version=2"], "--version takes no value."],
    [
      "a command that moves the cursor",
      ["\u001B[2Jdance"],
      `photon has no command "\\u001b[2Jdance"; ${unknown}`,
    ],
  ])(verifies("D5", "refuses %s with one sentence on stderr and exit code 2"), async (_, args, sentence) => {
    expect(await photon(...args)).toEqual({ stdout: "", stderr: `${sentence}\n`, exitCode: 2 });
  });

  it("says what is wrong without a stack, and where it was thrown with --verbose", async () => {
    const plain = await photon("list", "nowhere");
    const verbose = await photon("list", "nowhere", "--verbose");

    expect(plain.stderr).toMatch(/^There is no tool file "nowhere".*\n$/);
    expect(verbose.stderr).toMatch(/There is no tool file "nowhere"[^]*\n {4}at /);
    expect([plain.exitCode, verbose.exitCode]).toEqual([2, 2]);
  });
});

/** Notes every script that a process loads, and tells when it ends. */
const counter = `data:text/javascript,${encodeURIComponent(`
  import { Session } from "node:inspector";
  const loaded = new Set();
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => loaded.add(params.url));
  session.post("Debugger.enable");
  loaded.clear();
  process.on("exit", () => process.stderr.write(JSON.stringify([...loaded].filter((url) => url.startsWith("file:")))));
`)}`;

/** The files that a command loads, with nothing on stdin; those of the command are told from its folder on. */
function loadedBy(...args: string[]): readonly string[] {
  const { stderr } = spawnSync(process.execPath, ["--import", counter, bin, ...args], {
    encoding: "utf8",
    input: "",
  });
  const urls = JSON.parse(stderr.split("\n").at(-1) ?? "") as readonly string[];
  return urls.map((url) => url.replace(/^.*\/packages\/cli\//, ""));
}

describe("starting photon", () => {
  it("loads a few small files of its own for --version, and nothing else", () => {
    const loaded = loadedBy("--version");

    expect(loaded).toContain("dist/main.js");
    expect(loaded.filter((file) => !/^(?:bin|dist)\//.test(file))).toEqual([]);
    expect(loaded.length).toBeLessThanOrEqual(3);
  });

  it("loads no command for the help that names them", () => {
    expect(loadedBy("--help")).toEqual(loadedBy("--version"));
  });

  it("loads for stdio and a JavaScript tool no HTTP, no prompts, no compiler and no SDK", () => {
    const { folder } = temporaryFolder({ "say.photon.js": says("say", "hello") });
    const loaded = loadedBy("serve", `${folder}/say.photon.js`);
    const heavy = ["express", "ws", "@clack", "oxc-parser", "oxc-transform", "@modelcontextprotocol", "ajv"];

    expect(loaded).toContainEqual(expect.stringMatching(/^dist\/serve-/));
    // A handful of files, not one for each module: most of the time that a start takes goes into opening them.
    expect(loaded.length).toBeLessThanOrEqual(12);
    expect(loaded.filter((file) => heavy.some((name) => file.includes(`node_modules/${name}/`)))).toEqual([]);
    expect(loaded.filter((file) => /derive\.js$|terminal\/prompts\//.test(file))).toEqual([]);
  });
});
