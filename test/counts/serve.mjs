/**
 * The server whose work is counted.
 *
 * Usage: node serve.mjs <stdio | websocket | http | sse> <how many tools>
 */
import { ask, emit, tool } from "@photon/core";
import { createServer } from "@photon/server";

const [, , transport, wanted] = process.argv;

const input = /** @type {const} */ ({
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
});
const echo = tool({
  name: "echo",
  input,
  async *run({ text }) {
    return text;
  },
});
const asking = tool({
  name: "ask",
  input: { type: "object", properties: { questions: { type: "integer" } }, required: ["questions"] },
  async *run({ questions }) {
    let names = "";
    for (let count = 0; count < questions; count++) names += yield* ask.text("Name?");
    return names;
  },
});
const progress = tool({
  name: "progress",
  async *run() {
    for (let count = 1; count <= 100; count++) yield emit.progress(count / 100);
    return "done";
  },
});
const others = Array.from({ length: Math.max(0, Number(wanted) - 3) }, (_, index) =>
  tool({ name: `echo-${index}`, input, run: echo.run }),
);

const many = 10_000;
const server = createServer({
  tools: [echo, asking, progress, ...others],
  limits: { runsPerSession: many, asksPerSession: many, parkedPerPrincipal: many },
});
if (transport === "stdio") await server.stdio();
else {
  const { url } = await server.listen();
  process.send?.({ port: Number(new URL(url).port) });
}
