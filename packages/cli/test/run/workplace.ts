/** A folder with tools in it, and the built command run there: with pipes, or in a terminal. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { onTestFinished, vi } from "vitest";
import { runCli } from "../../src/cli.ts";
import { PseudoTerminal, type PseudoTerminalOptions } from "./pseudo-terminal.ts";

// Each test starts processes, and waits for what they show; the machine may be busy.
vi.setConfig({ testTimeout: 30_000 });

const bin = fileURLToPath(new URL("../../bin/photon.js", import.meta.url));
const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

interface Piped {
  /** What is piped into it; nothing: stdin has ended. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Workplace {
  readonly folder: string;
  /** Runs `photon run` with pipes. */
  readonly run: (args: readonly string[], piped?: Piped) => Promise<Ended>;
  /** Begins `photon run` with pipes that stay open. */
  readonly begin: (args: readonly string[]) => ChildProcessWithoutNullStreams;
  /** Runs `photon run` in a terminal. */
  readonly open: (args: readonly string[], options?: Partial<PseudoTerminalOptions>) => PseudoTerminal;
  /** Runs `photon run` in a terminal, but in this process: for prompts, without what a process costs. */
  readonly openHere: (args: readonly string[], options?: Partial<PseudoTerminalOptions>) => PseudoTerminal;
}

/** The body of a tool, as the source of a file: its input is `input`. */
export function toolOf(body: string, definition = ""): string {
  return `export const it = tool({ ${definition} async *run(input, context) { ${body} } });`;
}

/** Makes a folder with files in it, gone when the test ends. Tools find our packages there. */
export function workplace(files: Readonly<Record<string, string>>): Workplace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "photon-load-run-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(modules, join(folder, "node_modules"));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const head = name.endsWith(".js")
      ? 'import { ask, emit, roots, sample, step, tool } from "@photon/core";\n'
      : "";
    writeFileSync(path, `${head}${content}`);
  }
  const begin = (args: readonly string[], env: Piped["env"] = {}): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [bin, "run", ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, ...env },
    });
  const inTerminal = (
    command: ConstructorParameters<typeof PseudoTerminal>[0],
    options: Partial<PseudoTerminalOptions> = {},
  ): PseudoTerminal => {
    const terminal = new PseudoTerminal(command, { cwd: folder, ...options });
    onTestFinished(() => terminal.close());
    return terminal;
  };
  return {
    folder,
    begin(args) {
      const child = begin(args);
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    async run(args, { input = "", env = {} } = {}) {
      const child = begin(args, env);
      // A command that ends without reading what is piped into it is no error here.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      const exitCode = new Promise<number | null>((resolve) => {
        child.once("close", resolve);
      });
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { stdout, stderr, exitCode: await exitCode };
    },
    open: (args, options) => inTerminal([process.execPath, bin, "run", ...args], options),
    openHere: (args, options) => inTerminal((io) => runCli(["run", ...args], io), options),
  };
}
