/** FastMCP. Usage: node fastmcp.mjs <stdio | http | sse> <port> */
import { FastMCP } from "fastmcp";
import { z } from "zod";

const [, , transport, port] = process.argv;
const quiet = { debug() {}, error() {}, info() {}, log() {}, warn() {} };
const server = new FastMCP({ name: "fastmcp", version: "1.0.0", logger: quiet, ping: { enabled: false } });
const echoInput = z.object({ text: z.string() });
const elicitation = {
  message: "Name?",
  requestedSchema: {
    type: "object",
    properties: { value: { type: "string", title: "Name?" } },
    required: ["value"],
  },
};

server.addTool({ name: "echo", parameters: echoInput, execute: async ({ text }) => text });
server.addTool({
  name: "ask",
  parameters: z.object({ questions: z.int().min(1) }),
  async execute({ questions }, { elicit }) {
    const names = [];
    for (let count = 0; count < questions; count++) {
      const { content } = await elicit(elicitation, { timeout: 600_000 });
      names.push(content.value);
    }
    return names.join(" ");
  },
});
server.addTool({
  name: "notify",
  async execute(_, { reportProgress }) {
    for (let progress = 1; progress <= 100; progress++) await reportProgress({ progress, total: 100 });
    return "done";
  },
});
for (let count = 3; count < Number(process.env.BENCH_TOOLS); count++)
  server.addTool({ name: `echo-${count}`, parameters: echoInput, execute: async ({ text }) => text });

if (transport === "stdio") await server.start({ transportType: "stdio" });
else {
  await server.start({ transportType: "httpStream", httpStream: { port: Number(port), host: "127.0.0.1" } });
  process.send?.("ready");
}
