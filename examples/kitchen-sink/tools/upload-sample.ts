import { readFile } from "node:fs/promises";
import { ask, tool } from "@photon/core";
import { putOnShelf } from "../studio/shelf.ts";
import { decodeWave, secondsOf } from "../studio/wave.ts";

/** A file of the person's, as bytes or as a path, whatever the host has. */
export const uploadSample = tool({
  name: "upload_sample",
  title: "Upload a sample",
  description: "Asks for a recording, and puts it on the shelf",
  async *run() {
    const file = yield* ask.file("Which recording shall be uploaded?", {
      id: "recording",
      label: "Recording",
      accept: ["audio/wav", "audio/x-wav", ".wav"],
      maxBytes: 1_000_000,
    });
    const bytes = "path" in file ? await readFile(file.path) : file.bytes;
    // A name is only what somebody calls it.
    const seconds = secondsOf(decodeWave(bytes));
    await putOnShelf(file.name, bytes);
    return { name: file.name, seconds };
  },
});
