/** Server processes that share a store and keys, and a folder in which their tools write down what they do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis, type RedisServer } from "../../packages/server/test/stores/redis-server.ts";
import { fileBeside, ServerProcess, type Program } from "./server-process.ts";

export type StoreKind = "SQLite" | "Redis";

/** How a server is started: by a program that calls `createServer`, or by the command. */
export type Host = "createServer" | "photon serve";

export const storeKinds: readonly StoreKind[] = ["SQLite", "Redis"];

export const hosts: readonly Host[] = ["createServer", "photon serve"];

export interface DeploymentOptions {
  /** The module beside this one that exports the tools. */
  readonly tools: string;
  readonly host?: Host;
  /** For `createServer`; the command has the default. */
  readonly lease?: string;
  readonly grace?: string;
  /** Settings of redis-server. */
  readonly redis?: readonly string[];
}

export interface ProcessOptions {
  /** Whether the test can move the wall clock of the process. */
  readonly hasOwnClock?: boolean;
  /** PHOTON_KEYS of the process; without it, the one key of the deployment. */
  readonly keys?: string;
}

const KEYS = "one key that every process of the deployment has";
const lockFile = fileBeside("../../packages/server/test/stores/lock-file.mjs");
const photon = fileBeside("../../packages/cli/bin/photon.js");

export class Deployment {
  readonly folder: string;
  readonly store: string;
  readonly redis: RedisServer | undefined;
  readonly #program: Program;
  readonly #processes = new Set<ServerProcess>();
  #clocks = 0;

  private constructor(
    folder: string,
    redis: RedisServer | undefined,
    { tools, host = "createServer", lease = "500ms", grace = "5s" }: DeploymentOptions,
  ) {
    this.folder = folder;
    this.redis = redis;
    this.store = redis?.address ?? `sqlite:${join(folder, "store.db")}`;
    const env = { PHOTON_STORE: this.store, PHOTON_TEST_FOLDER: folder };
    this.#program =
      host === "createServer"
        ? { path: fileBeside("serve-node.mjs"), args: [fileBeside(tools), lease, grace], env }
        : {
            path: photon,
            args: ["serve", fileBeside(tools), "--transport=http", "--port=0", `--grace=${grace}`],
            env,
          };
  }

  static async create(kind: StoreKind, options: DeploymentOptions): Promise<Deployment> {
    const redis = kind === "Redis" ? await startRedis(...(options.redis ?? [])) : undefined;
    return new Deployment(mkdtempSync(join(tmpdir(), "photon-durable-")), redis, options);
  }

  async start({ hasOwnClock = false, keys = KEYS }: ProcessOptions = {}): Promise<ServerProcess> {
    this.#clocks += 1;
    const clockFile = hasOwnClock ? join(this.folder, `clock-${this.#clocks}`) : undefined;
    const env = { ...this.#program.env, PHOTON_KEYS: keys };
    const started = await ServerProcess.start({ ...this.#program, env }, { clockFile });
    this.#processes.add(started);
    void started.exited.then(() => this.#processes.delete(started));
    return started;
  }

  /** The keys of the steps that were done, in their order: a step that was done twice is here twice. */
  get stepKeys(): readonly string[] {
    return this.lines("steps");
  }

  /** The names of the steps that were done. */
  get steps(): readonly string[] {
    return this.stepKeys.map((key) => key.replace(/^[^/]*\//, ""));
  }

  /** Makes the tools wait where they call `gate` with this name. */
  closeGate(name: string): void {
    writeFileSync(this.#gateFile(name), "");
  }

  openGate(name: string): void {
    rmSync(this.#gateFile(name), { force: true });
  }

  /** The ids of the processes that wait, or have waited, at a gate. */
  waitedAt(name: string): readonly number[] {
    return this.lines(`waited-at-${name}`).map(Number);
  }

  /** The lines of a file that the tools append to. */
  lines(file: string): readonly string[] {
    const path = join(this.folder, file);
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  }

  /** Keeps the store from answering until the test calls what this gives: Redis is suspended, a SQLite file is locked. */
  async holdStore(): Promise<() => void> {
    const { redis } = this;
    if (redis !== undefined) {
      redis.signal("SIGSTOP");
      return () => redis.signal("SIGCONT");
    }
    const locker = spawn(process.execPath, [lockFile, this.store.replace("sqlite:", ""), "60000"]);
    await once(locker.stdout, "data");
    return () => void locker.kill("SIGKILL");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((one) => one.kill()));
    await this.redis?.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #gateFile(name: string): string {
    return join(this.folder, `gate-${name}`);
  }
}
