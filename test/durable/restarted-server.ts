/** A server on a store whose process is killed at a point of a run, and started again. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBeside, ServerProcess } from "./server-process.ts";

const KEYS = "the key of all of these processes one after another";

export class RestartedServer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "photon-kill-"));
  readonly #store: string;
  #current: Promise<ServerProcess>;
  #next: Promise<ServerProcess>;

  /** `store` is the beginning of an address: a file in the folder completes it, or a number, which is a Redis database. */
  constructor(store: string, number: number) {
    this.#store = store + (store.endsWith(":") ? join(this.folder, "store.db") : `/${number}`);
    this.#current = this.#start();
    this.#next = this.#current;
  }

  /** The address of the process that runs, or is being started. */
  get url(): Promise<string> {
    return this.#current.then(({ url }) => url);
  }

  /** Settles when the process that was armed has been killed, and another listens. */
  get restarted(): Promise<unknown> {
    return this.#next;
  }

  /** Has the process kill itself at a point of the next run, and another started then. */
  async arm(point: string): Promise<ServerProcess> {
    for (const file of ["trace", "effects"]) writeFileSync(join(this.folder, file), "");
    const armed = await this.#current;
    this.#next = armed.exited.then(() => (this.#current = this.#start()));
    this.#next.catch(() => {});
    await armed.command(point);
    return armed;
  }

  /** The points that were passed since, or the keys of the steps that were done. */
  read(file: "trace" | "effects"): readonly string[] {
    const lines = readFileSync(join(this.folder, file), "utf8").split("\n");
    return lines.filter((line) => line !== "");
  }

  async close(): Promise<void> {
    const current = await this.#current;
    await current.kill();
    // Where the process was armed, another is started.
    const next = await this.#next;
    await next.kill();
    rmSync(this.folder, { recursive: true });
  }

  #start(): Promise<ServerProcess> {
    return ServerProcess.start({
      path: fileBeside("serve.mjs"),
      args: [this.#store, this.folder],
      env: { PHOTON_KEYS: KEYS },
    });
  }
}
