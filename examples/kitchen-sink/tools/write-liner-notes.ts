import { ask, emit, sample, tool, type Body, type Client, type SampleAnswer } from "@photon/core";
import { song, type Song } from "../studio/song.ts";
import { jsonFile } from "../studio/json-file.ts";

const notes = jsonFile<{ readonly text: string } | null>("liner-notes.json", null);

const emptyAnswer: SampleAnswer = { role: "assistant", content: { type: "text", text: "" }, model: "none" };

/** The client's model writes the text; for a client without one, the user does. The streamed text is the result. */
export const writeLinerNotes = tool({
  name: "write_liner_notes",
  title: "Write the liner notes",
  description: "Asks the client's model, or the user, for the liner notes of the song",
  async *run(_, { client }) {
    const text = yield* textFrom(client, await song.read());
    if (text === "") throw new Error("There are no liner notes.");
    for (const sentence of text.match(/[^.!?]+[.!?]?\s*/g) ?? []) yield emit.stream(sentence);
    await notes.update(() => ({ text }));
  },
});

async function* textFrom({ can }: Client, { key, tempo }: Song): Body<string> {
  if (!can.sample) return yield* ask.text("What shall the liner notes say?", { id: "notes" });
  const answer = yield* sample(
    [
      {
        role: "user",
        content: { type: "text", text: `Liner notes for a song in ${key} at ${tempo} beats a minute.` },
      },
    ],
    {
      id: "draft",
      systemPrompt: "You write liner notes: three sentences, no superlatives.",
      maxTokens: 200,
      temperature: 0.7,
      stopSequences: ["\n\n"],
      modelPreferences: { costPriority: 0.8 },
      timeout: "2m",
      fallback: { decline: emptyAnswer },
    },
  );
  const [block] = [answer.content].flat();
  return block?.type === "text" ? block.text : "";
}
