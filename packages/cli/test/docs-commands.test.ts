import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { blocksIn, linesOf, type Block } from "../../../test/docs/blocks.ts";
import { readPage } from "../../../test/docs/pages.ts";
import { runInProcess } from "./run-in-process.ts";
import { bin, RunningCommand, temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

const read = (page: string): readonly Block[] => blocksIn(readPage(page));

/** A project with the command on its path, and the files that a page shows by their names. */
function desk(blocks: readonly Block[]): TemporaryFolder {
  const place = temporaryFolder({ "package.json": "{}" });
  mkdirSync(join(place.folder, "bin"));
  writeFileSync(join(place.folder, "bin/photon"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  });
  for (const { marks, content } of blocks)
    for (const file of marks.filter((mark) => mark.includes("."))) place.write(file, content);
  return place;
}

/** Starts a line as a shell does; whatever it wants to listen on, it is given a port that is free. */
function shell(line: string, { folder, env }: TemporaryFolder): RunningCommand {
  const PATH = `${join(folder, "bin")}:${env["PATH"] ?? ""}`;
  const free = line.replaceAll(/--port \d+/g, "--port 0");
  return new RunningCommand(
    spawn("sh", ["-c", free], { cwd: folder, env: { ...env, PATH, PHOTON_PORT: "0" } }),
  );
}

/** A line in which a shell does nothing but split words, and that starts no other command. */
const isPlain = (line: string): boolean =>
  /^photon(?: [\w.=-]+)+$/.test(line) && !line.includes(" -- photon");

/** Types a line, and what it asks for, and waits for its end. A plain line that is given nothing needs no process. */
async function type(line: string, place: TemporaryFolder, answers = "") {
  if (isPlain(line) && answers === "") {
    const [, ...args] = line.split(" ");
    const { folder, env } = place;
    const { exitCode, stdout, stderr } = await runInProcess(args, { cwd: folder, env });
    return { line, exitCode, printed: stdout, said: stderr.split("\n") };
  }
  const { child, exitCode, stderrLines } = shell(line, place);
  child.stdin.end(answers);
  const printed = await text(child.stdout);
  return { line, exitCode: await exitCode, printed, said: stderrLines.all };
}

/** The server itself is to be told to end, not the shell. */
const alone = (line: string): string => line.replace(/(?<=^|\s)photon (?=serve|dev)/, "exec photon ");

describe.each([
  { page: "docs/cli.md", tools: [] },
  // Its first lines, which create this tool, are tried in install.test.ts.
  { page: "docs/getting-started.md", tools: ["greet"] },
])("$page", { timeout: 120_000 }, ({ page, tools }) => {
  const blocks = read(page);

  it("has commands that work when they are typed one after another", async () => {
    const place = desk(blocks);
    for (const name of tools) await place.photon(["new", name]);
    const ended = [];
    for (const line of linesOf(readPage(page), "runnable")) ended.push(await type(line, place));

    expect(ended.length).toBeGreaterThan(5);
    expect(ended.filter(({ exitCode, printed }) => exitCode !== 0 || printed === "")).toEqual([]);
  });

  it("has servers that serve when they are typed, and end when they are told to", async () => {
    const place = desk(blocks);
    await place.photon(["new", "greet"]);
    const ended = [];
    for (const line of linesOf(readPage(page), "serves")) {
      const server = shell(alone(line), place);
      await server.until(/serv(?:es|ing) \d+ tools? \(/);
      server.child.kill("SIGTERM");
      ended.push(await server.exitCode);
    }

    expect(ended.length).toBeGreaterThan(1);
    expect(ended.filter((exitCode) => exitCode !== 0)).toEqual([]);
  });

  it("has no command that is not tried here", () => {
    const commands = blocks.filter(({ language }) => language === "sh");
    const tried = commands.filter(({ marks }) =>
      ["runnable", "serves", "beside-clone"].some((mark) => marks.includes(mark)),
    );

    expect(tried).toEqual(commands);
  });
});

describe("docs/getting-started.md", () => {
  it("shows the tool that photon new writes", async () => {
    const place = temporaryFolder();
    await place.photon(["new", "greet"]);
    const shown = read("docs/getting-started.md").find(({ language }) => language === "ts");

    expect(shown?.content).toBe(readFileSync(join(place.folder, "greet/greet.photon.ts"), "utf8"));
  });
});

describe("README.md", () => {
  it("has no other command than those that are tried in install.test.ts and those of the Inspector, the one that serves the kitchen sink, and the one that runs this test", () => {
    const others = read("README.md").filter(
      ({ language, marks }) =>
        language === "sh" && !/^(?:quick-start|inspector|existing-project)/.test(marks.join(" ")),
    );

    const lines = others.flatMap(({ content }) => content.trim().split("\n"));
    expect(lines.map((line) => line.replace(/ *#.*/, ""))).toEqual([
      "npm ci && npm start",
      "npm ci && npm test",
    ]);
  });
});
