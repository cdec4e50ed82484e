import { ask, AskDeclined, tool } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";
import { openSignIn } from "../studio/sign-in.ts";

const links = jsonFile<Readonly<Record<string, true>>>("labels.json", {});

/** A question with a URL. Accepting it does not prove that the user finished there, so the tool checks. */
export const linkLabel = tool({
  name: "link_label",
  title: "Link a label",
  description: "Sends the user to the label's sign-in page, to allow the studio to publish in their name",
  annotations: { openWorldHint: true },
  input: { type: "object", properties: { artist: { type: "string", minLength: 1 } }, required: ["artist"] },
  async *run({ artist }) {
    const signIn = await openSignIn(artist);
    try {
      yield* ask.url(`Sign in at the label as ${artist}, and allow the studio to publish.`, signIn.url, {
        id: "sign-in",
        description: "Come back when you have pressed the button.",
      });
      if (signIn.allowedBy !== artist) return `${artist} has not allowed it yet.`;
      await links.update((before) => ({ ...before, [artist]: true as const }));
      return `The studio may publish as ${artist}.`;
    } catch (error) {
      if (error instanceof AskDeclined) return "Nothing was linked.";
      throw error;
    } finally {
      signIn.close();
    }
  },
});
