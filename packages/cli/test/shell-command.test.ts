import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { commandLineFor, program } from "../src/shell-command.ts";

const cli = fileURLToPath(new URL("..", import.meta.url));

function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "photon-typed-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** A program of another package that has the same name. */
function writeOther(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}

/** Installs the command in a folder, as package managers do. */
function install(folder: string): void {
  link(join(folder, "node_modules/@photon/cli"), cli);
  // pnpm, and npm on Windows, write a script that starts the program.
  writeOther(join(folder, "node_modules/.bin/photon"));
}

describe("a line as it is typed", () => {
  it("begins with npx where npx finds the program: in the folder or in one above", () => {
    const folder = emptyFolder();
    install(folder);

    for (const cwd of [folder, join(folder, "tools", "more")])
      expect(commandLineFor("photon run greet", { cwd, env: {} })).toBe("npx photon run greet");
  });

  it("names the program where npx would run another one, or ask the registry", () => {
    const folder = emptyFolder();
    install(folder);
    writeOther(join(folder, "other/node_modules/.bin/photon"));
    const elsewhere = emptyFolder();

    for (const cwd of [join(folder, "other"), elsewhere]) {
      const [node, path = "", ...words] = commandLineFor("photon run greet", { cwd, env: {} }).split(" ");

      expect([node, resolve(cwd, path), ...words]).toEqual(["node", program, "run", "greet"]);
    }
  });

  it("has the path from the folder where that is shorter", () => {
    expect(commandLineFor("photon dev", { cwd: "/", env: {} })).toBe(`node ${program.slice(1)} dev`);
  });

  it("is the command alone where the user's shell finds it", () => {
    const folder = emptyFolder();
    link(join(folder, "bin/photon"), program);
    const env = { PATH: ["/nowhere", join(folder, "bin")].join(delimiter) };

    expect(commandLineFor("photon dev", { cwd: folder, env })).toBe("photon dev");
  });

  it("is not the command alone where only npm or another program provides it", () => {
    const folder = emptyFolder();
    link(join(folder, "node_modules/.bin/photon"), program);
    link(join(folder, "bin/photon"), program);
    writeOther(join(folder, "other/photon"));
    const paths = [
      join(folder, "node_modules/.bin"),
      [join(folder, "other"), join(folder, "bin")].join(delimiter),
    ];

    for (const PATH of paths)
      expect(commandLineFor("photon dev", { cwd: "/", env: { PATH } })).toBe(`node ${program.slice(1)} dev`);
  });

  it("spells the command of a server in it, too, and no word that only looks like it", () => {
    const folder = emptyFolder();
    install(folder);

    expect(commandLineFor("photon call photon -- photon serve photon", { cwd: folder, env: {} })).toBe(
      "npx photon call photon -- npx photon serve photon",
    );
  });
});
