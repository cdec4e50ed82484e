import { tool, type Content } from "@photon/core";
import { listenTo, takeFromShelf } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";
import { drawWaveform } from "../studio/waveform.ts";
import { secondsOf } from "../studio/wave.ts";

/** Every kind of content in one result. */
export const shareClip = tool({
  name: "share_clip",
  title: "Share a clip",
  description:
    "Gives a recording with everything about it: words, sound, picture, data, and where to find it",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "take-1.wav" } } },
  async *run({ clip }): AsyncGenerator<never, readonly Content[]> {
    const samples = await listenTo(clip);
    const uri = `studio://shelf/${clip}`;
    return [
      { type: "text", text: `${clip}, ${secondsOf(samples)} s` },
      { type: "audio", data: await takeFromShelf(clip), mimeType: "audio/wav" },
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
