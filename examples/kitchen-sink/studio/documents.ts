/**
 * The studio's papers: one JSON file each, in the data folder.
 *
 * Changes of one paper are made one after another, so that none is lost in this
 * process; between processes the last one counts, and it is never half written.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";
import { writeSafely } from "./write-safely.ts";

export interface Paper<Content> {
  read(): Promise<Content>;
  /** Replaces the content by what is made of it; gives back the new one. */
  change(make: (content: Content) => Content): Promise<Content>;
}

const changing = new Map<string, Promise<unknown>>();

/** A paper of this name; it begins as `blank`. */
export function paper<Content>(name: string, blank: Content): Paper<Content> {
  const read = async (): Promise<Content> => {
    try {
      // Written by this program alone.
      return JSON.parse(await readFile(join(dataFolder(), name), "utf8")) as Content;
    } catch (error) {
      if (isMissing(error)) return blank;
      throw error;
    }
  };
  return {
    read,
    change(make) {
      const path = join(dataFolder(), name);
      const change = async (): Promise<Content> => {
        const content = make(await read());
        await writeSafely(path, `${JSON.stringify(content, null, 2)}\n`);
        return content;
      };
      // Whatever became of the change before, it is over.
      const changed = (changing.get(path) ?? Promise.resolve()).then(change, change);
      changing.set(path, changed);
      return changed;
    },
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
