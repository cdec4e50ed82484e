/** A folder with tools in it, and `photon run` there: with pipes, or in a terminal. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished, vi } from "vitest";
import { PseudoTerminal, type PseudoTerminalOptions } from "../pseudo-terminal.ts";
import { openInProcess } from "../run-in-process.ts";
import { bin, temporaryFolder, type Ended } from "../temporary-folder.ts";

// Each test starts processes, and waits for what they show; the machine may be busy.
vi.setConfig({ testTimeout: 30_000 });

interface Piped {
  /** What is piped into it. Without it, stdin has ended. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ToolFolder {
  readonly folder: string;
  /** Runs `photon run` with pipes. */
  readonly run: (args: readonly string[], piped?: Piped) => Promise<Ended>;
  /** Starts `photon run` with pipes that stay open. */
  readonly start: (args: readonly string[]) => ChildProcessWithoutNullStreams;
  /** Runs `photon run` in a terminal. */
  readonly open: (args: readonly string[], options?: Partial<PseudoTerminalOptions>) => PseudoTerminal;
  /** The same in the process of the test, without the cost of a process. */
  readonly openInProcess: (
    args: readonly string[],
    options?: Partial<PseudoTerminalOptions>,
  ) => PseudoTerminal;
}

/** The body of a tool, as the source of a file: its input is `input`. */
export function toolOf(body: string, definition = ""): string {
  return `export const it = tool({ ${definition} async *run(input, context) { ${body} } });`;
}

const IMPORTS = 'import { ask, emit, roots, sample, step, tool } from "@photon/core";\n';

/** A JavaScript file has the imports of its tools already. */
export function toolFolder(files: Readonly<Record<string, string>>): ToolFolder {
  const sources = Object.entries(files).map(([name, content]): [string, string] => [
    name,
    name.endsWith(".js") ? `${IMPORTS}${content}` : content,
  ]);
  const { folder, photon, start } = temporaryFolder(Object.fromEntries(sources));
  return {
    folder,
    run: (args, { input, env } = {}) => photon(["run", ...args], env, input),
    start: (args) => start(["run", ...args]).child,
    open(args, options = {}) {
      const terminal = new PseudoTerminal([process.execPath, bin, "run", ...args], {
        cwd: folder,
        ...options,
      });
      onTestFinished(() => terminal.close());
      return terminal;
    },
    openInProcess: (args, options) => openInProcess(["run", ...args], { cwd: folder, ...options }),
  };
}
