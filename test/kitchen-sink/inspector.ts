/** The MCP Inspector's web page, in a process of its own, as a line of the README starts it. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { inspector, startOnNode22 } from "../conformance/node-22.ts";

export interface Inspector {
  /** Where its page is. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts it with what stands behind `npx @modelcontextprotocol/inspector`; `home` is where it may keep things. */
export async function startInspector(words: readonly string[], home: string): Promise<Inspector> {
  const child = startOnNode22(inspector, words, {
    HOME: home,
    CLIENT_PORT: String(await findPort()),
    MCP_SANDBOX_PORT: "0",
    MCP_AUTO_OPEN_ENABLED: "false",
    MCP_INSPECTOR_SECRET_STORE: "memory",
  });
  const ended = once(child, "close");
  const said: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  // With `stdio: "pipe"` there is one.
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    said.push(line);
    const [url] = /http:\S+TOKEN=\w+/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout?.resume();
    return {
      url,
      async close() {
        child.kill("SIGTERM");
        await ended;
      },
    };
  }
  throw new Error(`The Inspector has ended: ${said.join("\n")}`);
}

/** A port that is free: the Inspector cannot look for one by itself. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with that port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
