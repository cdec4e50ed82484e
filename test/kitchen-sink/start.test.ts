/** What `npm start` serves: the built program, in a process of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../requirements.ts";

const root = join(import.meta.dirname, "../..");

it(verifies("D4", "is served by npm start, at the address it prints"), { timeout: 60_000 }, async () => {
  // Read from a file that npm reads, too.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  const [, program = ""] = /&& node (\S+)$/.exec(scripts.start) ?? [];
  const data = mkdtempSync(join(tmpdir(), "kitchen-sink-"));
  const started = spawn(process.execPath, [program], {
    cwd: root,
    env: { ...process.env, PORT: "0", KITCHEN_SINK_DATA: data },
  });
  const ended = new Promise((resolve) => {
    started.once("close", resolve);
  });
  onTestFinished(async () => {
    started.kill();
    await ended;
    rmSync(data, { recursive: true });
  });
  let url: string | undefined;
  for await (const line of createInterface({ input: started.stdout })) {
    [url] = /http\S+\/mcp/.exec(line) ?? [];
    if (url !== undefined) break;
  }
  const client = new Client({ name: "guest", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url ?? "")));

  const { tools } = await client.listTools();

  expect(tools.map(({ name }) => name)).toContain("set_tempo");
});
