/** Usage: node serve-photon.js <stdio | websocket | http | sse> <port> */
import { ask, emit, tool, type Tool } from "@photon/core";
import { createServer } from "@photon/server";
import { adjustableClock } from "./harness/adjustable-clock.ts";

const [, , transport, port] = process.argv;
const toolCount = Number(process.env["BENCH_TOOLS"]);

const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const echo = tool({
  name: "echo",
  input,
  async *run({ text }) {
    return text;
  },
});

const asking = tool({
  name: "ask",
  input: {
    type: "object",
    properties: { questions: { type: "integer", minimum: 1 } },
    required: ["questions"],
  },
  async *run({ questions }) {
    let names = "";
    for (let count = 0; count < questions; count++) names += ` ${yield* ask.text("Name?")}`;
    return names;
  },
});

const notify = tool({
  name: "notify",
  async *run() {
    for (let count = 1; count <= 100; count++) yield emit.progress(count / 100);
    return "done";
  },
});

const others: readonly Tool<never>[] = Array.from({ length: Math.max(0, toolCount - 3) }, (_, index) =>
  tool({ name: `echo-${index}`, input, run: echo.run }),
);

const many = 50_000;
const server = createServer({
  tools: [echo, asking, notify, ...others],
  // Above what the bench measures. The checks of the limits still run.
  limits: {
    runsPerSession: many,
    asksPerSession: many,
    connections: Infinity,
    connectionsPerAddress: Infinity,
    sessionsPerPrincipal: many,
    parkedPerPrincipal: many,
    bytesPerPrincipal: Infinity,
    bytes: Infinity,
  },
  ...(process.env["BENCH_ADJUSTABLE_CLOCK"] === "1" ? { clock: adjustableClock() } : {}),
});
if (transport === "stdio") await server.stdio();
else {
  await server.listen({ port: Number(port) });
  process.send?.("ready");
}
