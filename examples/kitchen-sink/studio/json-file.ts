/**
 * The studio's data: JSON files in the data folder.
 *
 * The updates of one file in this process run one after another, so that none is lost. Between processes the last write
 * wins; a file is never half written.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";
import { writeAtomically } from "./write-atomically.ts";

export interface JsonFile<Content> {
  read(): Promise<Content>;
  /** Writes what `next` makes of the current content, and returns it. */
  update(next: (content: Content) => Content): Promise<Content>;
}

/** The last update of each file, by its path. */
const updates = new Map<string, Promise<unknown>>();

/** A file in the data folder. Until it is written, its content is `initial`. */
export function jsonFile<Content>(name: string, initial: Content): JsonFile<Content> {
  const read = async (): Promise<Content> => {
    try {
      // Only this program writes the file.
      return JSON.parse(await readFile(join(dataFolder(), name), "utf8")) as Content;
    } catch (error) {
      if (isMissing(error)) return initial;
      throw error;
    }
  };
  return {
    read,
    update(next) {
      const path = join(dataFolder(), name);
      const write = async (): Promise<Content> => {
        const content = next(await read());
        await writeAtomically(path, `${JSON.stringify(content, null, 2)}\n`);
        return content;
      };
      // Also after an update that failed.
      const updated = (updates.get(path) ?? Promise.resolve()).then(write, write);
      updates.set(path, updated);
      return updated;
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
