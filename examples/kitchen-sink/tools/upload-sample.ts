import { readFile } from "node:fs/promises";
import { ask, tool } from "@photon/core";
import { writeToShelf } from "../studio/shelf.ts";
import { decodeWave, durationOf } from "../studio/wave.ts";

/** A file from the user. An uploaded file has a `path` while the run lasts; a test may answer with `bytes`. */
export const uploadSample = tool({
  name: "upload_sample",
  title: "Upload a sample",
  description: "Asks for a recording, and stores it on the shelf",
  async *run() {
    const file = yield* ask.file("Which recording do you want to upload?", {
      id: "recording",
      label: "Recording",
      accept: ["audio/wav", "audio/x-wav", ".wav"],
      maxBytes: 1_000_000,
    });
    const bytes = "path" in file ? await readFile(file.path) : file.bytes;
    // The file name proves nothing about the content: decoding it checks the format.
    const seconds = durationOf(decodeWave(bytes));
    await writeToShelf(file.name, bytes);
    return { name: file.name, seconds };
  },
});
