/** What goes out of the studio: to shops, to a label. */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Changes, Ending, Scenario } from "../scenario.ts";

/** A record of these values, by whatever names. */
const holding = (...values: readonly unknown[]): unknown => ({
  asymmetricMatch(actual: unknown): boolean {
    try {
      expect(Object.values(actual ?? {})).toEqual(values);
      return true;
    } catch {
      return false;
    }
  },
});

const receipts = ["Bandstand has Opener"];

const release = (...got: readonly string[]): Changes => ({
  "releases.json": holding({
    id: expect.any(String),
    title: "Opener",
    date: "2026-09-01",
    catalogue: expect.stringMatching(/^KS-\d{4}-\d{3}$/),
    receipts: got,
  }),
});

const online: Changes = { "shops.json": { bandstand: { isOnline: true, deliveries: {} } } };

const delivered: Changes = {
  ...release(...receipts),
  "shops.json": { bandstand: { isOnline: true, deliveries: holding("Opener") } },
};

const withoutMood: Ending = { says: `"receipts":${JSON.stringify(receipts)}}`, changes: delivered };

export const releaseSong: Scenario = {
  tool: "release_song",
  shows: "delivers a release, also to a shop that was offline",
  answers: {
    title: "Opener",
    date: "2026-09-01",
    shops: ["bandstand"],
    mood: "blue",
    go: true,
    "again-bandstand": true,
  },
  says: `"receipts":${JSON.stringify(receipts)},"mood":"blue"}`,
  changes: delivered,
  together: ["title", "date", "shops", "mood"],
  otherwise: {
    mood: { decline: withoutMood, cancel: withoutMood, timeout: withoutMood },
    go: { decline: { says: "Nothing was released." } },
    "again-bandstand": {
      decline: { says: '"receipts":[],"mood":"blue"}', changes: { ...online, ...release() } },
      cancel: { says: 'The question "Bandstand is offline. Try again?"', isError: true, changes: online },
      timeout: { says: 'No answer to "Bandstand is offline. Try again?"', isError: true, changes: online },
    },
  },
};

const KEY = "sk-studio-0123456789";
const fingerprint = createHash("sha256").update(KEY).digest("hex").slice(0, 16);

export const connectShop: Scenario = {
  tool: "connect_shop",
  shows: "keeps the fingerprint of a key, and the key nowhere",
  input: { shop: "needle" },
  answers: { key: KEY },
  says: `The Needle is connected; its key has the fingerprint ${fingerprint}.`,
  changes: { "keys.json": { needle: { fingerprint } } },
};

export const linkLabel: Scenario = {
  tool: "link_label",
  shows: "may publish for whoever has pressed the button elsewhere",
  input: { artist: "Ada" },
  answers: { "sign-in": "done" },
  says: "The studio may publish as Ada.",
  changes: { "labels.json": { Ada: true } },
  otherwise: { "sign-in": { decline: { says: "Nothing was linked." } } },
};
