/** Resources: a text, bytes, a template, and one that notifies its subscribers of changes. */
import { resource } from "@photon/core";
import { redPixel } from "./media.ts";

const SECOND = 1000;

const staticText = resource({
  uri: "test://static-text",
  name: "Static text",
  description: "A text that stays the same",
  mimeType: "text/plain",
  async *run() {
    return "This is the content of the static text resource.";
  },
});

const staticBinary = resource({
  uri: "test://static-binary",
  name: "Static bytes",
  description: "An image that stays the same",
  mimeType: "image/png",
  async *run() {
    return { data: redPixel };
  },
});

const template = resource({
  uri: "test://template/{id}/data",
  name: "Data by id",
  description: "The data of an id",
  mimeType: "application/json",
  async *run({ id }) {
    return JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  },
});

const watched = resource({
  uri: "test://watched-resource",
  name: "Watched",
  description: "The time, updated every second",
  mimeType: "text/plain",
  watch({ changed, signal }) {
    const ticking = setInterval(changed, SECOND);
    signal.addEventListener("abort", () => clearInterval(ticking), { once: true });
  },
  async *run() {
    return new Date().toISOString();
  },
});

export const resources = [staticText, staticBinary, template, watched];
