import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, emit, roots, tool } from "@photon/core";
import { writeToShelf } from "../studio/shelf.ts";
import { decodeWave } from "../studio/wave.ts";

/** The client's roots: the folders it works in. A client may not support them, so there is a fallback. */
export const findRecordings = tool({
  name: "find_recordings",
  title: "Find recordings",
  description: "Looks for recordings in the client's folders, and copies those that the user picks",
  async *run() {
    const folders = yield* roots({
      id: "folders",
      timeout: "30s",
      fallback: { unsupported: [], timeout: [] },
    });
    const found = new Map<string, string>();
    for (const { uri } of folders.filter((root) => root.uri.startsWith("file:"))) {
      const folder = fileURLToPath(uri);
      for (const name of await readdir(folder))
        if (name.endsWith(".wav")) found.set(name, join(folder, name));
    }
    if (found.size === 0) return "There are no recordings in your folders.";
    const picked = yield* ask.multiselect(
      "Which recordings should be copied?",
      [...found.keys()].toSorted(),
      {
        id: "picked",
        default: [],
      },
    );
    for (const name of picked) {
      const recording = await readFile(found.get(name) ?? "");
      decodeWave(recording);
      await writeToShelf(name, recording);
      yield emit.text(`${name} is on the shelf.`);
    }
    return `${picked.length} of ${found.size} recordings were copied.`;
  },
});
