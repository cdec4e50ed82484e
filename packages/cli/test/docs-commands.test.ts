import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { blocksIn, type Block } from "../../../test/docs/blocks.ts";
import { readPage, root } from "../../../test/docs/pages.ts";
import { bin, RunningCommand, temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

const read = (page: string): readonly Block[] => blocksIn(readPage(page));

/** The lines of the blocks that are marked with this word, in their order. */
const linesOf = (blocks: readonly Block[], mark: string): readonly string[] =>
  blocks
    .filter(({ language, marks }) => language === "sh" && marks.includes(mark))
    .flatMap(({ content }) => content.trimEnd().split("\n"));

/** A folder with the command on its path, and the files that a page shows by their names. */
function desk(blocks: readonly Block[]): TemporaryFolder {
  const place = temporaryFolder();
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

/** Types a line, and what it asks for, and waits for its end. */
async function type(line: string, place: TemporaryFolder, answers = "") {
  const { child, exitCode, stderrLines } = shell(line, place);
  child.stdin.end(answers);
  const printed = await text(child.stdout);
  return { line, exitCode: await exitCode, printed, said: stderrLines.all };
}

/** The server itself is to be told to end, not the shell or npx. */
const alone = (line: string): string =>
  line.replace(/(?<=^|\s)(?:npx )?photon (?=serve|dev)/, "exec photon ");

describe.each(["docs/cli.md", "docs/getting-started.md"])("%s", { timeout: 120_000 }, (page) => {
  const blocks = read(page);

  it("has commands that work when they are typed one after another", async () => {
    const place = desk(blocks);
    const ended = [];
    for (const line of linesOf(blocks, "runnable")) ended.push(await type(line, place));

    expect(ended.length).toBeGreaterThan(5);
    expect(ended.filter(({ exitCode, printed }) => exitCode !== 0 || printed === "")).toEqual([]);
  });

  it("has servers that serve when they are typed, and end when they are told to", async () => {
    const place = desk(blocks);
    await place.photon(["new", "greet"]);
    const ended = [];
    for (const line of linesOf(blocks, "serves")) {
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

    expect(shown?.content).toBe(readFileSync(join(place.folder, "greet.photon.ts"), "utf8"));
  });
});

describe("README.md", { timeout: 60_000 }, () => {
  const blocks = read("README.md");

  it("has a quick start that works from where everything is installed and built", async () => {
    const place = desk(blocks);
    const [install, folder, ...lines] = linesOf(blocks, "quick-start");
    const [line = ""] = linesOf(blocks, "quick-start-server");
    const made = await type(lines[0] ?? "", place);
    const server = shell(alone(line), place);
    const address = (await server.url()).replace("http", "ws");
    const ended = [made];
    for (const one of lines.slice(1))
      ended.push(await type(one.replace("ws://127.0.0.1:3001", address), place, "Ada\nno\n"));

    expect({ install, folder }).toEqual({
      install: "npm ci && npm run build",
      folder: "mkdir my-tools && cd my-tools",
    });
    expect(ended.map(({ exitCode, printed }) => ({ exitCode, printed }))).toEqual([
      { exitCode: 0, printed: "hello.photon.ts\nhello.test.ts\n" },
      { exitCode: 0, printed: "Hello, Ada!\n" },
      { exitCode: 0, printed: "Hello, Ada!\n" },
      { exitCode: 0, printed: expect.stringContaining('"mcpServers"') },
    ]);
  });

  it("has no other command than those of the quick start, of a folder beside the clone and of the Inspector, the one that serves the kitchen sink, and the one that runs this test", () => {
    const others = blocks.filter(
      ({ language, marks }) =>
        language === "sh" && !/^(?:quick-start|inspector|beside-clone)/.test(marks.join(" ")),
    );

    const lines = others.flatMap(({ content }) => content.trim().split("\n"));
    expect(lines.map((line) => line.replace(/ *#.*/, ""))).toEqual([
      "npm ci && npm start",
      "npm ci && npm test",
    ]);
  });
});

describe.each(["README.md", "docs/getting-started.md"])("%s", { timeout: 60_000 }, (page) => {
  it("has lines that make photon work in a folder beside the clone", async () => {
    const { folder, env } = temporaryFolder();
    // Nothing is installed beside the clone. npm would install into a folder above that has modules.
    rmSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "photon"));
    // What the registry has is not asked for in a test.
    const lines = linesOf(read(page), "beside-clone").map((line) => line.replace(/ vitest$/, ""));
    const typed = [...lines, "npx photon new hello", "npx photon run hello"].join(" && ");
    const offline = { ...env, npm_config_offline: "true", npm_config_cache: join(folder, ".npm") };
    const { child, exitCode } = new RunningCommand(spawn("sh", ["-c", typed], { cwd: folder, env: offline }));
    child.stdin.end("Ada\nno\n");

    expect(lines.join("\n")).toMatch(/^mkdir .* && cd .* && npm init .*\nnpm install --save-dev /);
    expect(await text(child.stdout)).toMatch(/hello\.test\.ts\nHello, Ada!\n$/);
    expect(await exitCode).toBe(0);
  });
});
