import { createHash } from "node:crypto";
import { ask, tool } from "@photon/core";
import { paper } from "../studio/documents.ts";
import { SHOPS } from "../studio/shops.ts";

const keys = paper<Readonly<Record<string, { readonly fingerprint: string }>>>("keys.json", {});

/** A secret: never asked for in a form, never in a result, a log or a journal. */
export const connectShop = tool({
  name: "connect_shop",
  title: "Connect a shop",
  description: "Asks for the API key of a shop, and keeps what it can be recognised by",
  input: {
    type: "object",
    properties: { shop: { type: "string", enum: ["bandstand", "needle", "wavehouse"] } },
    required: ["shop"],
  },
  async *run({ shop }) {
    const key = yield* ask.secret(`What is the API key of ${SHOPS[shop]}?`, {
      id: "key",
      label: "API key",
      description: "It is in your account there, under Developers.",
      minLength: 8,
      maxLength: 200,
      timeout: "10m",
    });
    // A studio with something to lose would hand it to the keychain of the machine here.
    const fingerprint = createHash("sha256").update(key.reveal()).digest("hex").slice(0, 16);
    await keys.change((before) => ({ ...before, [shop]: { fingerprint } }));
    return `${SHOPS[shop]} is connected; its key has the fingerprint ${fingerprint}.`;
  },
});
