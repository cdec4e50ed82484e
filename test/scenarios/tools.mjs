/**
 * The tools of the scenarios.
 *
 * Plain JavaScript, because `stdio-server.mjs` runs it in a process, on the built packages. The tools write to a log that
 * the tests read.
 */
import { ask, AskError, emit, logLevels, roots, sample, tool, UrlRequired } from "@photon/core";
import { notes, prompts } from "./prompts-and-resources.mjs";

/**
 * @typedef {object} Host
 * @property {(line: string) => void} log
 * @property {(definitions: import("@photon/server").Definitions) => void} replace
 */

/** @typedef {import("@photon/core").Tool<never>} AnyTool */

const EXTRAS = { wifi: "Wi-Fi", breakfast: "Breakfast", parking: "Parking" };
const ROOMS = { single: "Single room", double: "Double room" };
const NIGHTS = /** @type {const} */ ({ min: 1, max: 30, integer: true });

/** One question of each kind. The tool of the same name asks it, and returns the answer as JSON. */
const questions = {
  text: ask.text("What is your name?", {
    label: "Name",
    description: "As in your passport.",
    minLength: 2,
    maxLength: 20,
    pattern: "^[A-Z]",
    patternMessage: "must begin with a capital letter",
    default: "Ada",
  }),
  number: ask.number("How many nights?", { ...NIGHTS, default: 2 }),
  rating: ask.rating("How good was it?", { default: 4 }),
  confirm: ask.confirm("Book it?", { default: false }),
  select: ask.select("Which room?", ROOMS, { default: "double" }),
  multiselect: ask.multiselect("Which extras?", EXTRAS, { min: 1, max: 2, default: ["wifi"] }),
  date: ask.date("Which day?", { min: "2026-01-01", max: "2026-12-31", default: "2026-05-01" }),
  form: ask.form("Who is coming?", {
    name: ask.text("Name"),
    email: ask.text("Email", { format: "email" }),
    age: ask.optional(ask.number("Age", { min: 18, default: 30 })),
    room: ask.select("Room", ROOMS),
    extras: ask.optional(ask.multiselect("Extras", EXTRAS, { min: 1 })),
    news: ask.confirm("Newsletter", { default: true }),
  }),
  url: ask.url("Sign in to the booking service", "https://example.com/sign-in"),
  secret: ask.secret("What is your password?"),
  file: ask.file("Which picture?"),
  dangerous: ask.confirm("Delete everything?", { dangerous: true }),
  patient: ask.number("How many nights?", { ...NIGHTS, retries: 1 }),
  hurried: ask.text("Quick, what is your name?", { timeout: "50ms" }),
  sample: sample("Say hello.", { maxTokens: 5, systemPrompt: "Be brief." }),
  roots: roots(),
};

/**
 * A tool that asks one question. Without an answer it returns the code of the error.
 * @param {string} name
 * @param {import("@photon/core").Yieldable<import("@photon/core").Question, unknown>} question
 */
const asking = (name, question) => [
  tool({
    name,
    async *run() {
      return JSON.stringify({ answer: (yield* question) ?? null });
    },
  }),
  tool({
    name: `${name}-code`,
    async *run() {
      try {
        return JSON.stringify({ answer: (yield* question) ?? null });
      } catch (error) {
        return error instanceof AskError ? `${error.code} ${error.id}` : "something else";
      }
    },
  }),
];

/** @returns {readonly AnyTool[]} */
const progressTools = () => [
  tool({
    name: "progresses",
    async *run() {
      yield emit.status("Looking");
      yield emit.progress(0.25, "A quarter");
      yield emit.progress(0.5);
      yield emit.progress(0.5, "Still half");
      yield emit.status("Almost there");
      return "Done.";
    },
  }),
  tool({
    name: "counts",
    async *run() {
      for (let count = 1; count <= 100; count += 1) yield emit.status(`Number ${count}`);
      return "Done.";
    },
  }),
  tool({
    name: "counts-and-asks",
    async *run() {
      for (let count = 1; count <= 100; count += 1) yield emit.status(`Number ${count}`);
      return yield* ask.text("Enough?");
    },
  }),
  tool({
    name: "steps",
    async *run() {
      for (let count = 1; count <= 3; count += 1) {
        yield emit.status(`Step ${count}`);
        await new Promise((resolve) => {
          setTimeout(resolve, 45_000);
        });
      }
      return "There.";
    },
  }),
  tool({
    name: "logs",
    async *run() {
      for (const level of logLevels) yield emit.log(level, { level });
      return "Logged.";
    },
  }),
  tool({
    name: "makes",
    async *run() {
      yield emit.text("A note");
      yield emit.audio(new Uint8Array([1, 2, 3]), "audio/wav");
      yield emit.link({ uri: "note://today", name: "Today" });
      return { type: "image", data: new Uint8Array([4, 5, 6]), mimeType: "image/png" };
    },
  }),
  tool({
    name: "trip",
    title: "A trip",
    input: {
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "integer", minimum: 1 } },
      required: ["city", "nights"],
    },
    output: { type: "object", properties: { price: { type: "number" } }, required: ["price"] },
    async *run({ nights }) {
      return { price: nights * 100 };
    },
  }),
];

/** @returns {readonly AnyTool[]} */
const toolsWithSeveralQuestions = () => [
  tool({
    name: "two",
    async *run() {
      const name = yield* ask.text("Your name?");
      yield emit.status(`Hello, ${name}`);
      const city = yield* ask.text(`Where to, ${name}?`);
      return `${name} goes to ${city}.`;
    },
  }),
  tool({
    name: "loop",
    async *run() {
      /** @type {string[]} */
      const items = [];
      for (;;) {
        const item = yield* ask.text(`Item ${items.length + 1}?`, { id: "item" });
        if (item === "stop") return items.join(", ");
        items.push(item);
      }
    },
  }),
  tool({
    name: "all",
    async *run() {
      const answers = yield* ask.all({ name: ask.text("Name?"), sure: ask.confirm("Sure?") });
      return JSON.stringify(answers);
    },
  }),
  tool({
    name: "numbered",
    input: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
    async *run({ number }) {
      const answer = yield* ask.text(`Question ${number}?`);
      return `${number}: ${answer}`;
    },
  }),
  tool({
    name: "falls-back",
    async *run() {
      return yield* ask.text("Your name?", { fallback: { unsupported: "Jane Doe" } });
    },
  }),
];

/** Requires a URL in every other call: in the next call, the user has opened it. */
const signedInOnly = () => {
  let isSignedIn = true;
  return tool({
    name: "signed-in-only",
    async *run() {
      isSignedIn = !isSignedIn;
      if (isSignedIn) return "Signed in.";
      throw new UrlRequired([{ message: "Sign in first", url: "https://example.com/sign-in" }]);
    },
  });
};

/**
 * @param {Host} host
 * @returns {readonly AnyTool[]}
 */
const toolsForClients = (host) => [
  signedInOnly(),
  tool({
    name: "waits",
    async *run() {
      try {
        return String(yield* ask.confirm("Shall I?"));
      } finally {
        host.log("waits ended");
      }
    },
  }),
  tool({
    name: "works",
    async *run(_, { signal }) {
      host.log("works began");
      try {
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
      } finally {
        host.log("works ended");
      }
    },
  }),
  tool({
    name: "needs-form",
    needs: ["form"],
    async *run() {
      host.log("needs-form began");
      return "It can.";
    },
  }),
  tool({
    name: "needs-url",
    needs: ["url"],
    async *run() {
      host.log("needs-url began");
      return "It can.";
    },
  }),
  tool({
    name: "sees",
    async *run(_, { client }) {
      return JSON.stringify(client);
    },
  }),
];

/**
 * The definitions of a server of the scenarios.
 * @param {Host} host
 */
export function createDefinitions(host) {
  /** @type {Set<() => void>} */
  const watchers = new Set();
  /** @type {readonly AnyTool[]} */
  const tools = [
    ...Object.entries(questions).flatMap(([name, question]) => asking(name, question)),
    ...progressTools(),
    ...toolsWithSeveralQuestions(),
    ...toolsForClients(host),
    tool({
      name: "touch",
      async *run() {
        for (const changed of watchers) changed();
        return "Touched.";
      },
    }),
    tool({
      name: "add-tool",
      async *run() {
        host.replace({ tools: [...tools, tool({ name: "added", async *run() {} })] });
        return "Added.";
      },
    }),
  ];
  return { tools, prompts, resources: notes(watchers) };
}
