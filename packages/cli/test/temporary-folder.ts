/** A folder with files in it, removed when the test ends; and the built command, run there as a process. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { EventLog } from "../../../test/clients/event-log.ts";

export const bin = fileURLToPath(new URL("../bin/photon.js", import.meta.url));
const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));

type Env = Readonly<Record<string, string>>;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export interface TemporaryFolder {
  readonly folder: string;
  /** The environment of the command. */
  readonly env: Env;
  readonly write: (file: string, content: string) => void;
  /** Runs the command to its end; `input` is piped into it. */
  readonly photon: (args: readonly string[], env?: Env, input?: string) => Promise<Ended>;
  /** Starts the command, which is killed when the test ends. */
  readonly start: (args: readonly string[], env?: Env) => RunningCommand;
}

/** Tools find the packages of this repository there. Folders of this name are those from which Node loads (vitest.config.ts). */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): TemporaryFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "photon-load-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  symlinkSync(modules, join(folder, "node_modules"));
  const home: Env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const write = (file: string, content: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  for (const [file, content] of Object.entries(files)) write(file, content);
  const start = (args: readonly string[], env: Env = {}): RunningCommand =>
    new RunningCommand(spawn(process.execPath, [bin, ...args], { cwd: folder, env: { ...home, ...env } }));
  return {
    folder,
    env: home,
    write,
    start,
    async photon(args, env, input = "") {
      const { child, exitCode } = start(args, env);
      child.stdin.end(input);
      const stdout = text(child.stdout);
      const stderr = text(child.stderr);
      return { stdout: await stdout, stderr: await stderr, exitCode: await exitCode };
    },
  };
}

/** A command that was started, and the lines that it writes to stderr. */
export class RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exitCode: Promise<number | null>;
  readonly stderrLines = new EventLog<string>();

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.exitCode = once(child, "close").then(([code]) => code as number | null);
    // A command that ends without reading, or is no longer read, is no error here.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    createInterface({ input: child.stderr }).on("line", (line) => this.stderrLines.add(line));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await this.exitCode;
    });
  }

  get stderr(): string {
    return this.stderrLines.all.join("\n");
  }

  /** Resolves with the first line that matches; rejects if the command ends without one. */
  async until(pattern: RegExp): Promise<string> {
    const ended = this.exitCode.then((code) => {
      throw new Error(`It exited with ${code} and wrote no line like ${pattern}:\n${this.stderr}`);
    });
    await Promise.race([this.stderrLines.until((line) => pattern.test(line)), ended]);
    ended.catch(() => {});
    return this.stderrLines.all.find((line) => pattern.test(line)) ?? "";
  }

  /** The address in its startup message. */
  async url(): Promise<string> {
    await this.until(ADDRESS);
    return urlIn(this.stderrLines);
  }
}

const ADDRESS = /127\.0\.0\.1:\d+/;

/** The address in the startup message of a server. */
export async function urlIn(lines: EventLog<string>): Promise<string> {
  await lines.until((line) => ADDRESS.test(line));
  return `http://${ADDRESS.exec(lines.all.join("\n"))?.[0] ?? ""}`;
}
