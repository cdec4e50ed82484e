/** What MCP clients want to be told of a server, each in its own words. Pure. */
import type { Launch } from "./launch.ts";

/** How a client reaches the server: it starts it, or calls it. */
export type Reached =
  | { readonly by: "stdio"; readonly launch: Launch }
  | { readonly by: "http" | "sse"; readonly url: string; readonly needsToken: boolean };

/** Where a token goes, and not which: that is for whoever has it. */
export const HEADER = { name: "Authorization", value: "Bearer <token>" };

/** What goes into a client's file. */
export interface ClientConfig {
  readonly client: string;
  readonly file: string;
  readonly config: object;
}

export function clientConfigs(name: string, reached: Reached): readonly ClientConfig[] {
  const typed =
    reached.by === "stdio"
      ? { type: "stdio", ...reached.launch }
      : {
          type: reached.by,
          url: reached.url,
          ...(reached.needsToken ? { headers: { [HEADER.name]: HEADER.value } } : {}),
        };
  const { type: _, ...untyped } = typed;
  const configs = [
    { client: "claude-code", file: ".mcp.json", config: { mcpServers: { [name]: typed } } },
    { client: "cursor", file: ".cursor/mcp.json", config: { mcpServers: { [name]: untyped } } },
    { client: "vscode", file: ".vscode/mcp.json", config: { servers: { [name]: typed } } },
  ];
  // Its file has only servers that it starts itself.
  const desktop = {
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    config: { mcpServers: { [name]: untyped } },
  };
  return reached.by === "stdio" ? [desktop, ...configs] : configs;
}
