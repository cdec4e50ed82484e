import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, emit, roots, tool } from "@photon/core";
import { putOnShelf } from "../studio/shelf.ts";
import { decodeWave } from "../studio/wave.ts";

/** The folders the client works in, where it tells. */
export const findRecordings = tool({
  name: "find_recordings",
  title: "Find recordings",
  description: "Looks for recordings in the folders of the client, and takes over those that somebody picks",
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
    if (found.size === 0) return "There are no recordings where you work.";
    const picked = yield* ask.multiselect(
      "Which of these shall be taken over?",
      [...found.keys()].toSorted(),
      {
        id: "picked",
        default: [],
      },
    );
    for (const name of picked) {
      const recording = await readFile(found.get(name) ?? "");
      decodeWave(recording);
      await putOnShelf(name, recording);
      yield emit.text(`${name} is on the shelf.`);
    }
    return `${picked.length} of ${found.size} recordings were taken over.`;
  },
});
