/** The prompts and resources of the scenarios. Plain JavaScript, as `tools.mjs`. */
import { ask, prompt, resource } from "@photon/core";

/**
 * The resources. To call the watchers changes the two that can be watched.
 * @param {Set<() => void>} watchers
 */
export const notes = (watchers) => [
  resource({
    uri: "note://today",
    name: "today",
    title: "Today's note",
    mimeType: "text/plain",
    watch({ changed, signal }) {
      watchers.add(changed);
      signal.addEventListener("abort", () => watchers.delete(changed), { once: true });
    },
    async *run() {
      return "Buy milk.";
    },
  }),
  resource({
    uri: "note://picture",
    name: "picture",
    mimeType: "image/png",
    watch({ changed, signal }) {
      watchers.add(changed);
      signal.addEventListener("abort", () => watchers.delete(changed), { once: true });
    },
    async *run() {
      return new Uint8Array([7, 8, 9]);
    },
  }),
  resource({
    uri: "note://diary",
    name: "diary",
    async *run() {
      const day = yield* ask.select(
        "Which day?",
        { monday: "Monday", friday: "Friday" },
        { default: "friday" },
      );
      return `It rained on ${day}.`;
    },
  }),
  resource({
    uri: "note://days/{day}",
    name: "day",
    complete: { day: (typed) => ["monday", "tuesday"].filter((day) => day.startsWith(typed)) },
    async *run({ day }) {
      return { text: `Nothing on ${day}.`, mimeType: "text/markdown" };
    },
  }),
];

export const prompts = [
  prompt({
    name: "greet",
    description: "Greets a guest",
    arguments: {
      name: { required: true, complete: (typed) => ["Ada", "Alan"].filter((name) => name.startsWith(typed)) },
      style: { description: "Kindly or curtly" },
    },
    async *run({ name, style }) {
      return `Greet ${name} ${style ?? "somehow"}.`;
    },
  }),
  prompt({
    name: "interview",
    async *run() {
      const topic = yield* ask.text("What about?");
      return [{ role: "assistant", content: { type: "text", text: `Let us talk about ${topic}.` } }];
    },
  }),
];
