import { createHash } from "node:crypto";
import { ask, tool } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";
import { SHOPS } from "../studio/shops.ts";

const keys = jsonFile<Readonly<Record<string, { readonly fingerprint: string }>>>("keys.json", {});

/** A secret: it is never asked in a form, and never in a result, a log or a journal. */
export const connectShop = tool({
  name: "connect_shop",
  title: "Connect a shop",
  description: "Asks for the API key of a shop, and stores its fingerprint",
  input: {
    type: "object",
    properties: { shop: { type: "string", enum: ["bandstand", "needle", "wavehouse"] } },
    required: ["shop"],
  },
  async *run({ shop }) {
    const key = yield* ask.secret(`What is the API key of ${SHOPS[shop]}?`, {
      id: "key",
      label: "API key",
      description: "You find it in your account of the shop, under Developers.",
      minLength: 8,
      maxLength: 200,
      timeout: "10m",
    });
    // A real tool would store the key in the keychain of the operating system.
    const fingerprint = createHash("sha256").update(key.reveal()).digest("hex").slice(0, 16);
    await keys.update((before) => ({ ...before, [shop]: { fingerprint } }));
    return `${SHOPS[shop]} is connected; its key has the fingerprint ${fingerprint}.`;
  },
});
