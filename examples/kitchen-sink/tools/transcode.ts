import { ask, emit, tool } from "@photon/core";
import { isOnShelf, listenTo, putOnShelf } from "../studio/shelf.ts";
import { encodeSunAudio } from "../studio/sun-audio.ts";

/** Nothing is overwritten without a yes: whatever else happens to the question is a no. */
export const transcode = tool({
  name: "transcode",
  title: "Transcode a file",
  description: "Makes an .au file of a .wav file, and asks before it overwrites one that is there already",
  input: { type: "object", properties: { file: { type: "string", pattern: "\\.wav$" } }, required: ["file"] },
  async *run({ file }) {
    const target = file.replace(/\.wav$/, ".au");
    yield emit.progress(0.1, `Reading ${file}`);
    const samples = await listenTo(file);
    const isFree = !(await isOnShelf(target));
    const mayWrite =
      isFree ||
      (yield* ask.confirm(`There is a ${target} already. Overwrite it?`, {
        id: "overwrite",
        fallback: { cancel: false, timeout: false, unsupported: false },
      }));
    if (!mayWrite) return `${target} was left as it is.`;
    yield emit.progress(0.5);
    await putOnShelf(target, encodeSunAudio(samples));
    yield emit.progress(1, "Written");
    yield emit.link({ uri: `studio://shelf/${target}`, name: target, mimeType: "audio/basic" });
    return `${target} was made of ${file}.`;
  },
});
