/** `photon serve`: serves tools to MCP clients. */
import { resolve } from "node:path";
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { stdioPrincipal } from "../serve/auth-options.ts";
import { serveTools } from "../serve/serve.ts";
import { absoluteStore } from "../serve/store.ts";
import { parseTransports } from "../serve/transports.ts";
import { parseServeFlags, serveFlags } from "./serve-flags.ts";

export const serve: Command = command({
  name: "photon serve",
  usage: ["photon serve [paths…] [flags]"],
  description: `Serves tools to MCP clients. Paths are files or folders; a bare name "web" finds web.photon.ts, web.ts
or tools/web.ts. Without paths: *.photon.{ts,js} and tools/ in this folder.`,
  flags: {
    ...serveFlags,
    Tools: {
      watch: {
        type: "boolean",
        short: "w",
        summary: "reload when a tool file or one of its imports changes",
      },
      ...serveFlags.Tools,
    },
    Transports: {
      transport: {
        type: "list",
        short: "t",
        value: "name",
        choices: ["stdio", "sse", "http", "websocket", "all"],
        default: "stdio",
        summary: "the transports to serve",
      },
      ...serveFlags.Transports,
      playground: { type: "boolean", summary: "serve a page at / to try the tools and answer them" },
    },
    Access: {
      ...serveFlags.Access,
      principal: {
        type: "string",
        value: "name",
        summary:
          "the principal of the client at stdin: the name of one of the tokens (default: that of the only token)",
      },
    },
    Output: {
      "print-config": { type: "boolean", summary: "print the configuration of common MCP clients, and exit" },
      ...serveFlags.Output,
    },
  },
  examples: [
    "photon serve",
    "photon serve web --transport=websocket",
    "photon serve tools/ --transport=stdio,http --port 3001 --watch",
    "photon serve web --print-config",
  ],
  async run({ values, positionals, rest, provided }, io) {
    const transports = parseTransports(values.transport);
    const useless = HTTP_FLAGS.find((name) => provided.has(name));
    if (transports.http.length === 0 && useless !== undefined)
      throw new UsageError(`--${useless} is for sse, http and websocket; add --transport=http.`);
    const { playground, watch } = values;
    const serving = parseServeFlags(values, [...positionals, ...rest], transports);
    const principal = stdioPrincipal(values.principal, serving);
    const clientFlags = flagsForClients(provided, io.cwd);
    const options = { ...serving, principal, playground, watch, clientFlags };
    if (!values.printConfig) return serveTools(options, io);
    const { printConfig } = await import("../serve/client-config.ts");
    return printConfig(options, io);
  },
});

/** Flags that have an effect only where the server listens. Without such a transport they are refused. */
const HTTP_FLAGS = [
  "port",
  "host",
  "idle",
  "playground",
  "auth-token",
  "no-auth",
  "allow-host",
  "allow-origin",
  "public-url",
] as const;

/** The flags of a server that a client does not give when it starts the server itself. */
const OMITTED: ReadonlySet<string> = new Set([...HTTP_FLAGS, "transport", "watch", "print-config", "name"]);

/** The flags that a client gives when it starts the server itself, in a folder of its own. */
function flagsForClients(provided: ReadonlyMap<string, readonly string[]>, cwd: string): readonly string[] {
  return [...provided]
    .filter(([name]) => !OMITTED.has(name))
    .flatMap(([name, texts]) =>
      texts.map((text) => {
        if (name === "store") return `--store=${absoluteStore(text, cwd)}`;
        if (name === "audit") return `--audit=${resolve(cwd, text)}`;
        return text === "" ? `--${name}` : `--${name}=${text}`;
      }),
    );
}
