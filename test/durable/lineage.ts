/** Server processes on one store, one after another: when one is killed, a fresh one takes its place. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Victim } from "./victim.ts";

const KEYS = "the key of all of these processes one after another";

export class Lineage {
  readonly folder: string = mkdtempSync(join(tmpdir(), "photon-kill-"));
  readonly #store: string;
  #living: Promise<Victim>;
  #heir: Promise<Victim>;

  /** `store` is the beginning of an address: a file in its folder completes it, or a number, which is a Redis database. */
  constructor(store: string, number: number) {
    this.#store = store + (store.endsWith(":") ? join(this.folder, "store.db") : `/${number}`);
    this.#living = this.#start();
    this.#heir = this.#living;
  }

  /** Where the process is reached that lives, or comes. */
  get url(): Promise<string> {
    return this.#living.then(({ url }) => url);
  }

  /** Settles when the one that was armed has been killed, and another is there. */
  get replaced(): Promise<unknown> {
    return this.#heir;
  }

  /** Has the living process die at a point, and another follow. */
  async arm(point: string): Promise<Victim> {
    for (const file of ["trace", "effects"]) writeFileSync(join(this.folder, file), "");
    const victim = await this.#living;
    this.#heir = victim.ended.then(() => (this.#living = this.#start()));
    this.#heir.catch(() => {});
    await victim.arm(point);
    return victim;
  }

  /** The points that were passed since, and what was done. */
  read(file: "trace" | "effects"): readonly string[] {
    const lines = readFileSync(join(this.folder, file), "utf8").split("\n");
    return lines.filter((line) => line !== "");
  }

  async end(): Promise<void> {
    const victim = await this.#living;
    await victim.kill();
    // One that was armed has an heir.
    const heir = await this.#heir;
    await heir.kill();
    rmSync(this.folder, { recursive: true });
  }

  #start(): Promise<Victim> {
    return Victim.start(this.#store, this.folder, KEYS);
  }
}
