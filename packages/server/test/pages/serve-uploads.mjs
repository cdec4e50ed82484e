/**
 * A server whose only tool asks for a file.
 *
 * Usage: node serve-uploads.mjs http    (prints its URL)
 *        node serve-uploads.mjs stdio
 */
import { ask, tool } from "@photon/core";
import { createServer } from "@photon/server";

const upload = tool({
  name: "upload",
  async *run() {
    const { name } = yield* ask.file("Photo?");
    return name;
  },
});

const server = createServer({ tools: [upload] });
if (process.argv[2] === "stdio") await server.stdio();
else process.stdout.write(`${(await server.listen()).url}\n`);
