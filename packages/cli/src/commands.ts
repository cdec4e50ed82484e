/** The commands, in the order of the help. Each is loaded only when it is used. */
import type { Command } from "./command.ts";

interface Listed {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const commands: Readonly<Record<string, Listed>> = {
  serve: {
    summary: "serve tools to MCP clients",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  run: {
    summary: "run a tool in the terminal",
    load: async () => (await import("./commands/run.ts")).run,
  },
  call: {
    summary: "call a tool of any MCP server",
    load: async () => (await import("./commands/call.ts")).call,
  },
  inbox: {
    summary: "show and answer the open questions of durable runs",
    load: async () => (await import("./commands/inbox.ts")).inbox,
  },
  list: {
    summary: "list tools, prompts and resources, and the questions they ask",
    load: async () => (await import("./commands/list.ts")).list,
  },
  new: {
    summary: "create a tool and its test",
    load: async () => (await import("./commands/new.ts")).newTool,
  },
  dev: {
    summary: "serve over every transport on one port, and reload on change",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
};
