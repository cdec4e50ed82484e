/** A studio of a test's own: its data folder, what is in it, and what has changed. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Root } from "@photon/core";
import { listShelf } from "../../examples/kitchen-sink/studio/shelf.ts";
import type { Changes } from "./scenario.ts";

export class Studio {
  /** Its data folder. */
  readonly folder: string;
  #before: Changes = {};

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** A new one, of which this process knows too. */
  static async open(): Promise<Studio> {
    const folder = await mkdtemp(join(tmpdir(), "kitchen-sink-"));
    process.env["KITCHEN_SINK_DATA"] = folder;
    return new Studio(folder);
  }

  /** Makes it as good as new. */
  async tidy(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
    // Whoever looks at the shelf first fills it.
    await listShelf();
    await this.remember();
  }

  /** Changes count from now on. */
  async remember(): Promise<void> {
    this.#before = await this.#lookAround();
  }

  /** What is different from what was remembered; null for what is gone. */
  async changes(): Promise<Changes> {
    const now = await this.#lookAround();
    const gone = Object.keys(this.#before).filter((path) => !Object.hasOwn(now, path));
    const changed = Object.entries(now).filter(
      ([path, content]) => JSON.stringify(content) !== JSON.stringify(this.#before[path]),
    );
    return Object.fromEntries([...changed, ...gone.map((path) => [path, null] as const)]);
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Every file by its path: papers as what they say, anything else by what it can be recognised by. */
  async #lookAround(): Promise<Changes> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const seen = files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = await readFile(path);
      const content: unknown = name.endsWith(".json") ? JSON.parse(bytes.toString()) : markOf(bytes);
      return [path.slice(this.folder.length + 1), content] as const;
    });
    return Object.fromEntries(await Promise.all(seen));
  }
}

const markOf = (bytes: Buffer): string =>
  `${bytes.length} bytes, ${createHash("sha256").update(bytes).digest("hex").slice(0, 8)}`;

/** A folder of somebody's with two recordings in it. */
export const recordings: Root = {
  uri: new URL("recordings", import.meta.url).href,
  name: "recordings",
};
