import { extname } from "node:path";
import { ask, tool } from "@photon/core";
import { renameOnShelf, readFromShelf } from "../studio/shelf.ts";

/** A text with a pattern. If the user declines, the fallback keeps the old name. */
export const nameArtifact = tool({
  name: "name_artifact",
  title: "Name an artifact",
  description: "Asks for a new name for a file on the shelf; declining keeps the old one",
  input: {
    type: "object",
    properties: { artifact: { type: "string", description: "The current name of the file" } },
    required: ["artifact"],
  },
  async *run({ artifact }) {
    await readFromShelf(artifact);
    const ending = extname(artifact);
    const old = artifact.slice(0, -ending.length);
    const name = yield* ask.text(`What shall ${artifact} be called?`, {
      id: "name",
      description: "Letters, digits, spaces and dashes.",
      minLength: 3,
      maxLength: 40,
      pattern: "^[A-Za-z0-9][A-Za-z0-9 _-]*$",
      patternMessage: "must begin with a letter or digit, and have only letters, digits, spaces, _ and -",
      retries: 2,
      fallback: { decline: old },
    });
    await renameOnShelf(artifact, name + ending);
    return name === old ? `It is still called ${artifact}.` : `${artifact} is called ${name}${ending} now.`;
  },
});
