/** What is started, each with the same tool: one text in, one text out. */

/** Written into the folder in which everything is started. */
export const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ type: "module", private: true }),
  "bare.js": `process.stdin.once("data", () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n'));`,
  "greet.photon.js": `import { ask, tool } from "@photon/core";
    export const greet = tool({
      description: "Greets somebody",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run({ greeting }) {
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "typed.photon.ts": `import { ask, tool } from "@photon/core";
    interface Input { readonly greeting: string }
    export const greet = tool({
      description: "Greets somebody",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run(input) {
        const { greeting } = input as unknown as Input;
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "derived.photon.ts": `import { ask } from "@photon/core";
    /** Greets somebody */
    export async function* greet(greeting: string) {
      return greeting + ", " + (yield* ask.text("Who is it for?"));
    }`,
  "sdk.js": `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
    import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
    import { z } from "zod";
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.registerTool(
      "greet",
      { description: "Greets somebody", inputSchema: { greeting: z.string() } },
      async ({ greeting }) => ({ content: [{ type: "text", text: greeting }] }),
    );
    await server.connect(new StdioServerTransport());`,
};

/** The peer that is installed for this alone, and its program. */
export const PEER = {
  package: "fastmcp@4.20.16",
  file: "fastmcp.js",
  text: `import { FastMCP } from "fastmcp";
    import { z } from "zod";
    const server = new FastMCP({ name: "greeter", version: "1.0.0" });
    server.addTool({
      name: "greet",
      description: "Greets somebody",
      parameters: z.object({ greeting: z.string() }),
      execute: async ({ greeting }) => greeting,
    });
    await server.start({ transportType: "stdio" });`,
};

export interface Way {
  /** What Node is started with. */
  readonly args: readonly string[];
  /** Whether it is told to initialize, and has started once it has answered; otherwise, once it has ended. */
  readonly isServer: boolean;
  /** Forgets what was compiled, before each start. */
  readonly isCold?: boolean;
}

/** By what they are called; the first of each kind is the floor of that kind. */
export function waysOf(photon: string, peer: string | undefined): Readonly<Record<string, Way>> {
  const server = (...args: readonly string[]): Way => ({ args, isServer: true });
  const serve = (file: string): Way => server(photon, "serve", file);
  return {
    "bare Node, to its end": { args: ["-e", "0"], isServer: false },
    "photon --version, to its end": { args: [photon, "--version"], isServer: false },
    "bare Node that answers one line": server("bare.js"),
    "photon serve, JavaScript": serve("greet.photon.js"),
    "photon serve, TypeScript, cached": serve("typed.photon.ts"),
    "photon serve, TypeScript, cold": { ...serve("typed.photon.ts"), isCold: true },
    "photon serve, a bare generator, cached": serve("derived.photon.ts"),
    "photon serve, a bare generator, cold": { ...serve("derived.photon.ts"), isCold: true },
    "SDK v1, JavaScript": server("sdk.js"),
    ...(peer === undefined ? {} : { "fastmcp, JavaScript": server(peer) }),
  };
}
