/** The servers of the measured pages: `photon serve --playground` with a tool that logs many entries, and an empty page. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";

interface Server {
  readonly url: string;
  readonly close: () => void;
}

export const TOOL_FILE = "log-entries.photon.js";

export const toolText = (entries: number): string => `import { emit, tool } from "@photon/core";
  export const logEntries = tool({
    name: "log_entries",
    description: "Logs many entries",
    input: { type: "object", properties: { about: { type: "string" } } },
    async *run() {
      for (let count = 1; count <= ${entries}; count++) yield emit.log("info", "entry " + count);
      return "done";
    },
  });`;

/** The smallest page for comparison: one button, of the class that the measurement waits for. */
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
  const command = [join(root, "packages/cli/bin/photon.js"), "serve", TOOL_FILE];
  const flags = ["--transport", "http,websocket", "--playground", "--port", "0"];
  const child = spawn(process.execPath, [...command, ...flags], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(stderr)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`photon serve has ended: ${stderr}`)));
  });
  return { url, close: () => void child.kill() };
}
