import { tool, type Content } from "@photon/core";
import { readSamples, readFromShelf } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";
import { drawWaveform } from "../studio/waveform.ts";
import { durationOf } from "../studio/wave.ts";

/** Every type of content in one result. */
export const shareClip = tool({
  name: "share_clip",
  title: "Share a clip",
  description: "Returns a recording as text, audio, image, embedded resource and link",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "take-1.wav" } } },
  async *run({ clip }): AsyncGenerator<never, readonly Content[]> {
    const samples = await readSamples(clip);
    const uri = `studio://shelf/${clip}`;
    return [
      { type: "text", text: `${clip}, ${durationOf(samples)} s` },
      { type: "audio", data: await readFromShelf(clip), mimeType: "audio/wav" },
      { type: "image", data: drawWaveform(samples), mimeType: "image/png" },
      {
        type: "resource",
        uri: "studio://song",
        mimeType: "application/json",
        text: JSON.stringify(await song.read()),
      },
      { type: "link", uri, name: clip, title: "The recording itself", mimeType: "audio/wav" },
    ];
  },
});
