import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Column } from "./column.ts";

const program = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));
const LEFT = / sessions left$/;

/** Every client has a process of its own. */
export const stdio: Column = {
  name: "stdio",
  whenGone: "ends",
  serve: (revision, told) =>
    Promise.resolve({
      dial() {
        const transport = new StdioClientTransport({
          command: process.execPath,
          args: [program, revision],
          stderr: "pipe",
        });
        // With `stderr: "pipe"` it is a stream to read from, there from the start; its type says less.
        createInterface({ input: transport.stderr as Readable }).on("line", (line) => told.add(line));
        const hangUp = (): Promise<void> => transport.close();
        return { transport, leave: hangUp, vanish: hangUp };
      },
      async sessions() {
        await told.until((line) => LEFT.test(line));
        return Number.parseInt(told.all.findLast((line) => LEFT.test(line)) ?? "", 10);
      },
      stop: () => Promise.resolve(),
    }),
};
