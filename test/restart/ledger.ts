/** What the steps of all processes have written down, in a folder that outlives them. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One step that was done, and by whom. */
export interface Done {
  readonly step: string;
  readonly key: string;
  readonly token: string;
  readonly pid: number;
}

type Line = Done | { readonly ended: true; readonly pid: number };

export class Ledger {
  readonly folder: string = mkdtempSync(join(tmpdir(), "photon-restart-"));
  readonly #file: string = join(this.folder, "ledger");

  constructor() {
    appendFileSync(this.#file, "");
  }

  get done(): readonly Done[] {
    return this.#lines.flatMap((line) => ("step" in line ? [line] : []));
  }

  /** The processes in which a body has run its `finally`. */
  get ended(): readonly number[] {
    return this.#lines.flatMap((line) => ("ended" in line ? [line.pid] : []));
  }

  get #lines(): readonly Line[] {
    const lines = readFileSync(this.#file, "utf8").trim().split("\n");
    // Written by the tool of these tests.
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
  }

  /** Makes the step wait, once it has written itself down, until its run is closed. */
  stallAt(step: string): void {
    writeFileSync(join(this.folder, "stall"), step);
  }

  stallNoMore(): void {
    rmSync(join(this.folder, "stall"), { force: true });
  }

  /** Settles when the ledger says so. */
  async until(isSo: () => boolean): Promise<void> {
    const over = new AbortController();
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isSo()) resolve();
      };
      watch(this.folder, { signal: over.signal }, look);
      look();
    });
    over.abort();
  }

  erase(): void {
    writeFileSync(this.#file, "");
    this.stallNoMore();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
