import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Column } from "./column.ts";
import type { Dialled } from "./dialled.ts";
import type { Happenings } from "./happenings.ts";
import { dialModernStdio } from "./modern-stdio.ts";
import { ModernGuest } from "./modern-guest.ts";
import { SessionGuest } from "./session-guest.ts";

const program = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
const LEFT = / sessions left$/;

/** A process of its own. */
function dialStdio(args: readonly string[], told: Happenings<string>): Dialled<Transport> {
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

/** Every client has a process of its own, which ends with it. */
export const stdio: Column = {
  name: "stdio",
  whenGone: { session: "ends", modern: "ends" },
  serve(revision, told, { whenUnsupported = "fail" } = {}) {
    const args = [program, revision, whenUnsupported];
    return Promise.resolve({
      invite: (can) =>
        revision === "2026-07-28"
          ? new ModernGuest(dialModernStdio(args, told), can)
          : new SessionGuest(dialStdio(args, told), can),
      async sessions() {
        await told.until((line) => LEFT.test(line));
        return Number.parseInt(told.all.findLast((line) => LEFT.test(line)) ?? "", 10);
      },
      stop: () => Promise.resolve(),
    });
  },
};
