import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../bin/photon.js", import.meta.url));
const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Runs the built command as a shell would. */
function photon(...args: string[]): { stdout: string; stderr: string; exitCode: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8" });
  return { stdout, stderr, exitCode: status };
}

const help = `photon: runs tools that need people

Usage: photon [flags]

Flags:
  -h, --help     print this help
  -v, --version  print the version
`;

describe("photon", () => {
  it.each(["--version", "-v"])("prints the version of its package: %s", (flag) => {
    const { stdout, stderr, exitCode } = photon(flag);

    expect(manifest).toMatchObject({ version: stdout.trimEnd() });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  it.each(["--help", "-h"])("prints what it is and the flags it has: %s", (flag) => {
    expect(photon(flag)).toEqual({ stdout: help, stderr: "", exitCode: 0 });
  });

  it("prints the help when both help and version are asked for", () => {
    expect(photon("--version", "--help").stdout).toBe(help);
  });

  it("shows its help on stderr and exits 2 when it is asked for nothing", () => {
    expect(photon()).toEqual({ stdout: "", stderr: help, exitCode: 2 });
  });

  it.each([
    ["a word", ["dance"], 'photon takes no argument "dance"'],
    ["a word after a flag it knows", ["--version", "dance"], 'photon takes no argument "dance"'],
    ["a word after --", ["--", "--help"], 'photon takes no argument "--help"'],
    ["an empty word", [""], 'photon takes no argument ""'],
    ["a long flag", ["--dance"], 'photon has no flag "--dance"'],
    ["a long flag with a value", ["--dance=tango"], 'photon has no flag "--dance"'],
    ["a short flag", ["-x"], 'photon has no flag "-x"'],
    ["a short flag behind one it knows", ["-vx"], 'photon has no flag "-x"'],
    ["a name that every object has", ["--constructor"], 'photon has no flag "--constructor"'],
    ["a value for a flag that takes none", ["--version=2"], "--version takes no value"],
  ])("refuses %s with one sentence on stderr and exit code 2", (_, args, problem) => {
    const stderr = `${problem}; "photon --help" lists what it knows.\n`;

    expect(photon(...args)).toEqual({ stdout: "", stderr, exitCode: 2 });
  });
});
