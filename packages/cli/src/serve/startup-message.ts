/** The message of `photon serve` when it has started: the definitions, the addresses, and how to connect a client. Pure. */
import type { HttpTransport } from "@photon/server";
import type { CommandIO } from "../io.ts";
import type { Loaded } from "../load/load.ts";
import type { AuthOptions } from "./auth-options.ts";
import { commandLineFor, shellCommand, shellQuoted } from "../shell-command.ts";
import { AUTH_HEADER, endpointFor, launchCommand, type Endpoint } from "./client-config.ts";
import type { LogEntry } from "./log.ts";

interface StartupInfo {
  readonly version: string;
  readonly loaded: Loaded;
  /** The name of each transport, and its address: `["http", "http://127.0.0.1:3001/mcp"]`. */
  readonly addresses: readonly (readonly [transport: string, address: string])[];
  readonly hints: readonly string[];
}

export function startupMessage({ version, loaded, addresses, hints }: StartupInfo): LogEntry {
  const width = Math.max(...addresses.map(([transport]) => transport.length));
  return {
    level: "info",
    message: `serving ${summaryOf(loaded)}`,
    lines: [
      `photon ${version} serves ${summaryOf(loaded)}`,
      ...addresses.map(([transport, address]) => `  ${transport.padEnd(width)}  ${address}`),
      ...hints,
    ],
    data: { version, addresses: Object.fromEntries(addresses) },
  };
}

/** "2 tools (book, greet), 1 prompt (letter)". */
export function summaryOf({ tools, prompts, resources }: Loaded): string {
  const parts = [
    counted(
      "tool",
      tools.map(({ name }) => name ?? ""),
    ),
    counted(
      "prompt",
      prompts.map(({ name }) => name ?? ""),
    ),
    counted(
      "resource",
      resources.map(({ uri }) => uri),
    ),
  ];
  return parts.filter(Boolean).join(", ") || "nothing yet";
}

const MAX_NAMES = 8;

function counted(noun: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), "…"] : names;
  return `${names.length} ${noun}${names.length === 1 ? "" : "s"} (${shown.join(", ")})`;
}

interface HintOptions {
  readonly name: string;
  readonly paths: readonly string[];
  /** Of each HTTP transport. */
  readonly addresses: ReadonlyMap<HttpTransport, string>;
  readonly auth: AuthOptions;
  /** The flags that a client adds when it starts the server itself. */
  readonly clientFlags: readonly string[];
}

export function hintsFor(
  { name, paths, addresses, auth, clientFlags }: HintOptions,
  io: CommandIO,
): readonly string[] {
  const isStdio = addresses.size === 0;
  const endpoint: Endpoint | undefined = isStdio
    ? { type: "stdio", launch: launchCommand(paths, io.cwd, clientFlags) }
    : endpointFor(addresses, auth);
  return [
    ...(isStdio ? [] : authHint(auth)),
    ...(endpoint === undefined ? [] : [`Add it to a client: ${lineToPaste(name, endpoint)}`]),
    ...(isStdio && io.input.isTTY === true
      ? [
          `stdin is a terminal, and an MCP client belongs there: use --transport=http to listen for clients, or "${commandLineFor("photon run <file>", io)}" to call a tool.`,
        ]
      : []),
  ];
}

function authHint({ tokens, noAuth }: AuthOptions): readonly string[] {
  if (tokens !== undefined) return [`Callers need the token of ${Object.keys(tokens).join(", ")}.`];
  return noAuth ? ["Unauthenticated access is allowed (--no-auth)."] : [];
}

/** The line that adds a server to Claude Code. */
function lineToPaste(name: string, endpoint: Endpoint): string {
  if (endpoint.type === "stdio")
    return `claude mcp add ${shellQuoted(name)} -- ${shellCommand(endpoint.launch)}`;
  const { type, url, needsToken } = endpoint;
  const header = needsToken ? ` --header ${shellQuoted(`${AUTH_HEADER.name}: ${AUTH_HEADER.value}`)}` : "";
  return `claude mcp add --transport ${type} ${shellQuoted(name)} ${url}${header}`;
}
