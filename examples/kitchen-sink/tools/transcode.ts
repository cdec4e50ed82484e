import { ask, emit, tool } from "@photon/core";
import { isOnShelf, readSamples, writeToShelf } from "../studio/shelf.ts";
import { encodeSunAudio } from "../studio/sun-audio.ts";

/** Overwrites a file only after a yes: a non-answer counts as no, by the fallback. */
export const transcode = tool({
  name: "transcode",
  title: "Transcode a file",
  description: "Converts a .wav file to .au, and asks before it overwrites an existing file",
  input: { type: "object", properties: { file: { type: "string", pattern: "\\.wav$" } }, required: ["file"] },
  async *run({ file }) {
    const target = file.replace(/\.wav$/, ".au");
    yield emit.progress(0.1, `Reading ${file}`);
    const samples = await readSamples(file);
    const isFree = !(await isOnShelf(target));
    const mayWrite =
      isFree ||
      (yield* ask.confirm(`${target} exists. Overwrite it?`, {
        id: "overwrite",
        fallback: { cancel: false, timeout: false, unsupported: false },
      }));
    if (!mayWrite) return `${target} was not changed.`;
    yield emit.progress(0.5);
    await writeToShelf(target, encodeSunAudio(samples));
    yield emit.progress(1, "Written");
    yield emit.link({ uri: `studio://shelf/${target}`, name: target, mimeType: "audio/basic" });
    return `${file} was converted to ${target}.`;
  },
});
