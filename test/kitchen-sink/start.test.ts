/** What `npm start` serves: the built program, in a process of its own. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { connectV2 } from "../clients/connect.ts";
import { httpV2 } from "../clients/connections.ts";
import { verifies } from "../requirements.ts";

const root = join(import.meta.dirname, "../..");

/** Starts what `npm start` starts, until the test is over. */
function start(port: number): ChildProcessWithoutNullStreams {
  // Read from a file that npm reads, too.
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  const [, program = ""] = /&& node (\S+)$/.exec(scripts.start) ?? [];
  const data = mkdtempSync(join(tmpdir(), "kitchen-sink-"));
  const started = spawn(process.execPath, [program], {
    cwd: root,
    env: { ...process.env, PORT: String(port), KITCHEN_SINK_DATA: data },
  });
  const ended = once(started, "close");
  onTestFinished(async () => {
    started.kill();
    await ended;
    rmSync(data, { recursive: true });
  });
  return started;
}

it(verifies("D4", "is served by npm start, at the address it prints"), { timeout: 60_000 }, async () => {
  const started = start(0);
  let url: string | undefined;
  for await (const line of createInterface({ input: started.stdout })) {
    [url] = /http\S+\/mcp/.exec(line) ?? [];
    if (url !== undefined) break;
  }
  const client = await connectV2(httpV2((url ?? "").replace(/\/mcp$/, "")));

  const { tools } = await client.sdk.listTools();

  expect(tools.map(({ name }) => name)).toContain("set_tempo");
});

it(
  "npm start says in a sentence that its port is taken, and how another is given",
  { timeout: 60_000 },
  async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    // It listens on a port.
    const { port } = other.address() as AddressInfo;
    const started = start(port);

    const [said, [code]] = await Promise.all([text(started.stderr), once(started, "exit")]);

    expect(said).toMatch(new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken.*PORT=.+\\n$`));
    expect(code).toBe(1);
  },
);
