/** What the pages are loaded from: `photon serve --playground` with a tool that tells a lot, and next to nothing. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";

interface Server {
  readonly url: string;
  readonly close: () => void;
}

export const TOOL_FILE = "talk.photon.js";

export const toolText = (entries: number): string => `import { emit, tool } from "@photon/core";
  export const talk = tool({
    description: "Tells a lot",
    input: { type: "object", properties: { about: { type: "string" } } },
    async *run() {
      for (let count = 1; count <= ${entries}; count++) yield emit.log("info", "entry " + count);
      return "that was all";
    },
  });`;

/** As little as can be used: one button, of the class that is waited for. */
const EMPTY_PAGE = `<!doctype html><title>Empty</title><button class="offer">A button</button>`;

export async function serveEmptyPage(): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(EMPTY_PAGE);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Serves the tools of a folder, in a process of its own. */
export async function servePlayground(root: string, folder: string): Promise<Server> {
  const words = [join(root, "packages/cli/bin/photon.js"), "serve", TOOL_FILE];
  const flags = ["--transport", "http,websocket", "--playground", "--port", "0"];
  const child = spawn(process.execPath, [...words, ...flags], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let heard = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      heard += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(heard)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`photon serve has ended: ${heard}`)));
  });
  return { url, close: () => void child.kill() };
}
