import { ask, AskDeclined, tool } from "@photon/core";
import { paper } from "../studio/documents.ts";
import { openSignIn } from "../studio/label.ts";

const links = paper<Readonly<Record<string, true>>>("labels.json", {});

/** Something done elsewhere: that the person says so is no proof, so the tool looks. */
export const linkLabel = tool({
  name: "link_label",
  title: "Link a label",
  description: "Sends somebody to the label's sign-in, and may publish in their name from then on",
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
      await links.change((before) => ({ ...before, [artist]: true as const }));
      return `The studio may publish as ${artist}.`;
    } catch (error) {
      if (error instanceof AskDeclined) return "Nothing was linked.";
      throw error;
    } finally {
      signIn.close();
    }
  },
});
