/** The built conformance example, in a process of its own on the Node that runs the tests. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root } from "./node-22.ts";

const main = "examples/dist/conformance/main.js";

export interface ExampleServer {
  /** `http://127.0.0.1:41234` */
  readonly origin: string;
  /** Asks it to end; gives its exit code. */
  stop(): Promise<number | null>;
}

export async function startExample(): Promise<ExampleServer> {
  const child = spawn(process.execPath, [main, "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "inherit", "pipe"],
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("exit", resolve);
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const [, origin] = /^Listening at (http:\S+)\/mcp$/.exec(line) ?? [];
    if (origin === undefined) continue;
    // Read on, so that it is never held up by what it writes.
    child.stderr.resume();
    return {
      origin,
      stop() {
        child.kill("SIGTERM");
        return code;
      },
    };
  }
  throw new Error(`${main} ended before it listened; was it built? ${said.join("\n")}`);
}
