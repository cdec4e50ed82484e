/** A server on stdio, for clients that speak 2026-07-28. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Happenings } from "./happenings.ts";
import type { ModernDialled } from "./modern-dial.ts";

/** A process of its own. To find out what it speaks, the client first runs another one, whose stderr nobody sees. */
export function dialModernStdio(args: readonly string[], told: Happenings<string>): ModernDialled {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    stderr: "pipe",
  });
  // With `stderr: "pipe"` it is a stream to read from, there from the start; its type says less.
  createInterface({ input: transport.stderr as Readable }).on("line", (line) => told.add(line));
  const hangUp = (): Promise<void> => transport.close();
  return { transport, leave: hangUp, vanish: hangUp };
}
