/** Where uploaded files lie: each in a temporary folder that nobody else can look into, until it is removed. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export class Uploads {
  readonly #folders = new Set<string>();

  /** A path where nothing lies yet. */
  async place(): Promise<string> {
    // Made with the rights 0700.
    const folder = await mkdtemp(join(tmpdir(), "photon-upload-"));
    if (this.#folders.size === 0) process.on("exit", this.#removeAll);
    this.#folders.add(folder);
    return join(folder, randomBytes(16).toString("hex"));
  }

  async remove(path: string): Promise<void> {
    const folder = dirname(path);
    if (!this.#folders.has(folder)) return;
    await rm(folder, { recursive: true, force: true });
    this.#folders.delete(folder);
    if (this.#folders.size === 0) process.off("exit", this.#removeAll);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#folders].map((folder) => this.remove(join(folder, "file"))));
  }

  /** For a process that ends without closing anything: nothing waits any more. */
  readonly #removeAll = (): void => {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  };
}
