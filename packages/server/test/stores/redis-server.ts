/** A real Redis, for a test: on a port of its own, in a folder of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";

export interface RedisServer {
  readonly port: number;
  readonly folder: string;
  /** Where a store finds it. */
  readonly address: string;
  /** Says something to it, as its administrator. */
  say(...words: readonly [string, ...string[]]): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Ends it as it wants to be ended, and waits for that. */
  stop(): Promise<void>;
  /** Starts it again, where it was. */
  start(): Promise<void>;
  /** Ends it, with all it has. */
  end(): Promise<void>;
}

/** `settings` are those of its command line, such as `--requirepass`. */
export async function startRedis(...settings: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "photon-redis-"));
  const port = await freePort();
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...settings];
  let running: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    running = await started(words);
  };
  const stop = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
  };
  await start();
  return {
    port,
    folder,
    address: `redis://127.0.0.1:${port}`,
    async say(command, ...rest) {
      const client = new Redis({ port, host: "127.0.0.1", protocol: 2 });
      try {
        return await client.call(command, ...rest);
      } finally {
        client.disconnect();
      }
    },
    signal: (name) => void running?.kill(name),
    stop,
    start,
    async end() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function started(words: readonly string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
  const failed = once(child, "error").then(([error]: unknown[]) => {
    throw error instanceof Error ? error : new Error(String(error));
  });
  const said: string[] = [];
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.includes("Ready to accept connections")) return;
    }
    throw new Error(`redis-server has ended: ${said.join("\n")}`);
  })();
  await Promise.race([ready, failed]);
  // Read on, so that it is never held up by what it says.
  child.stdout.resume();
  return child;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("A socket has no port.");
  return address.port;
}
