/** The commands there are, in the order the help shows them. Each is loaded when it is used, and not before. */
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
    load: async () => {
      const { runFromArguments } = await import("./commands/run-from-arguments.ts");
      const { runFlags } = await import("./commands/run-flags.ts");
      return { flags: runFlags, execute: runFromArguments };
    },
  },
  call: {
    summary: "call a tool of any MCP server",
    load: async () => (await import("./commands/call.ts")).call,
  },
  inbox: {
    summary: "show and answer what durable runs wait for",
    load: async () => (await import("./commands/inbox.ts")).inbox,
  },
  list: {
    summary: "show tools, prompts and resources, and what they ask",
    load: async () => (await import("./commands/list.ts")).list,
  },
  new: {
    summary: "write a tool to begin with, and its test",
    load: async () => (await import("./commands/new.ts")).newTool,
  },
  dev: {
    summary: "serve over every transport on one port, and reload on change",
    load: async () => (await import("./commands/dev.ts")).dev,
  },
};
