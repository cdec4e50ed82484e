/** A folder with tool files in it, and the built command at work there. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { Happenings } from "../../../../test/scenarios/happenings.ts";

export const bin = fileURLToPath(new URL("../../bin/photon.js", import.meta.url));
const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

type Env = Readonly<Record<string, string>>;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export interface Workshop {
  readonly folder: string;
  /** What the command sees of the environment. */
  readonly env: Env;
  readonly write: (file: string, content: string) => void;
  /** Runs the command to its end, with nothing on stdin. */
  readonly photon: (args: readonly string[], env?: Env) => Promise<Ended>;
  /** Starts the command, which goes on until the test ends it. */
  readonly start: (args: readonly string[], env?: Env) => Started;
}

/** A folder, gone when the test ends. Tools find our packages there. */
export function workshop(files: Readonly<Record<string, string>> = {}): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "photon-load-serve-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  symlinkSync(modules, join(folder, "node_modules"));
  const home: Env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const write = (file: string, content: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  for (const [file, content] of Object.entries(files)) write(file, content);
  const start = (args: readonly string[], env: Env = {}): Started =>
    new Started(spawn(process.execPath, [bin, ...args], { cwd: folder, env: { ...home, ...env } }));
  return {
    folder,
    env: home,
    write,
    start,
    async photon(args, env) {
      const { child, exitCode } = start(args, env);
      child.stdin.end();
      const stdout = text(child.stdout);
      const stderr = text(child.stderr);
      return { stdout: await stdout, stderr: await stderr, exitCode: await exitCode };
    },
  };
}

/** A command that was started, and what it says on stderr. */
export class Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exitCode: Promise<number | null>;
  readonly said = new Happenings<string>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exitCode = once(child, "close").then(([code]) => code as number | null);
    // A command that ends without reading, or is no longer read, is no error here.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    createInterface({ input: child.stderr }).on("line", (line) => this.said.add(line));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await this.exitCode;
    });
  }

  get stderr(): string {
    return this.said.all.join("\n");
  }

  /** Settles when a line has come that matches; fails where the command ends without one. */
  async until(pattern: RegExp): Promise<string> {
    const ended = this.exitCode.then((code) => {
      throw new Error(`It ended with ${code} and never said ${pattern}:\n${this.stderr}`);
    });
    await Promise.race([this.said.until((line) => pattern.test(line)), ended]);
    ended.catch(() => {});
    return this.said.all.find((line) => pattern.test(line)) ?? "";
  }

  /** Where it listens, once it says so. */
  async url(): Promise<string> {
    await this.until(ADDRESS);
    return urlIn(this.said);
  }
}

const ADDRESS = /127\.0\.0\.1:\d+/;

/** Where a server listens that says so. */
export async function urlIn(said: Happenings<string>): Promise<string> {
  await said.until((line) => ADDRESS.test(line));
  return `http://${ADDRESS.exec(said.all.join("\n"))?.[0] ?? ""}`;
}
