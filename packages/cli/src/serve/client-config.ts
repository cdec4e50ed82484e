/** The configuration that MCP clients need for a server, each in its own format; `--print-config`. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { HttpTransport } from "@photon/server";
import { UsageError } from "../errors.ts";
import { type CommandIO, write } from "../io.ts";
import { findToolFiles } from "../load/find-files.ts";
import { emptySnapshot } from "../sources/snapshot.ts";
import { program, type Launch } from "../shell-command.ts";
import type { AuthOptions } from "./auth-options.ts";
import type { ServeOptions } from "./serve.ts";
import { addressOf } from "./transports.ts";

/** How a client reaches the server: it starts it, or connects to it. */
export type Endpoint =
  | { readonly type: "stdio"; readonly launch: Launch }
  | { readonly type: "http" | "sse"; readonly url: string; readonly needsToken: boolean };

/** Where the token goes. The token itself is never printed. */
export const AUTH_HEADER = { name: "Authorization", value: "Bearer <token>" };

/** Prints the configurations: the JSON on stdout, the names of the files on stderr. */
export async function printConfig(options: ServeOptions, io: CommandIO): Promise<number> {
  const configs = clientConfigs(options.name, configuredEndpoint(options, io));
  const byClient = Object.fromEntries(configs.map(({ client, config }) => [client, config]));
  const files = configs.map(({ client, file }) => `${client}: ${file}`);
  await write(io.errorOutput, `${files.join("\n")}\n`);
  await write(io.output, `${JSON.stringify(byClient, null, 2)}\n`);
  return 0;
}

interface ClientConfig {
  readonly client: string;
  readonly file: string;
  readonly config: object;
}

function clientConfigs(name: string, endpoint: Endpoint): readonly ClientConfig[] {
  const typed =
    endpoint.type === "stdio"
      ? { type: "stdio", ...endpoint.launch }
      : {
          type: endpoint.type,
          url: endpoint.url,
          ...(endpoint.needsToken ? { headers: { [AUTH_HEADER.name]: AUTH_HEADER.value } } : {}),
        };
  const { type: _, ...untyped } = typed;
  const configs = [
    { client: "claude-code", file: ".mcp.json", config: { mcpServers: { [name]: typed } } },
    { client: "cursor", file: ".cursor/mcp.json", config: { mcpServers: { [name]: untyped } } },
    { client: "vscode", file: ".vscode/mcp.json", config: { servers: { [name]: typed } } },
  ];
  // Claude Desktop only configures servers that it starts itself.
  const desktop = {
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    config: { mcpServers: { [name]: untyped } },
  };
  return endpoint.type === "stdio" ? [desktop, ...configs] : configs;
}

/** Prefers stdio: the client starts the server, so it need not run already. */
function configuredEndpoint(
  { paths, name, transports, host, port, clientFlags, auth }: ServeOptions,
  { cwd }: CommandIO,
): Endpoint {
  if (transports.stdio) {
    const nameFlag = name === "photon" ? [] : [`--name=${name}`];
    return { type: "stdio", launch: launchCommand(paths, cwd, [...nameFlag, ...clientFlags]) };
  }
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const addresses = transports.http.map((transport) => [transport, addressOf(transport, url)] as const);
  const endpoint = endpointFor(new Map(addresses), auth);
  if (endpoint !== undefined) return endpoint;
  throw new UsageError(
    "The common clients do not support WebSocket; print the config of --transport=stdio or --transport=http.",
  );
}

/** The address that common clients can connect to; none of them supports WebSocket. */
export function endpointFor(
  addresses: ReadonlyMap<HttpTransport, string>,
  { tokens }: AuthOptions,
): Endpoint | undefined {
  for (const type of ["http", "sse"] as const) {
    const url = addresses.get(type);
    if (url !== undefined) return { type, url, needsToken: tokens !== undefined };
  }
  return undefined;
}

/** The command that serves the same tools from any folder and with any PATH. */
export function launchCommand(paths: readonly string[], cwd: string, flags: readonly string[] = []): Launch {
  const files = paths.length === 0 ? [cwd] : paths.flatMap((path) => absolutePaths(path, cwd));
  return { command: process.execPath, args: [program, "serve", ...files, ...flags] };
}

/** The path of a file or a folder; for a bare name, the files that are found by it. */
function absolutePaths(path: string, cwd: string): readonly string[] {
  const exact = resolve(cwd, path);
  if (statSync(exact, { throwIfNoEntry: false }) !== undefined) return [exact];
  return findToolFiles([path], cwd, emptySnapshot()).map((found) => found.path);
}
