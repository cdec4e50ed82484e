/** What to do with a server that has started. */
import type { HttpTransport } from "@photon/server";
import type { CommandIO } from "../io.ts";
import type { Access } from "./access.ts";
import { HEADER, type Reached } from "./client-configs.ts";
import { commandLine, launchOf, quoted } from "./launch.ts";

interface Served {
  readonly name: string;
  readonly paths: readonly string[];
  /** Where it listens, if it does. */
  readonly addresses: ReadonlyMap<HttpTransport, string>;
  readonly access: Access;
  /** The flags that a client which starts it by itself gives it as well. */
  readonly kept: readonly string[];
}

export function hintsFor({ name, paths, addresses, access, kept }: Served, io: CommandIO): readonly string[] {
  const isStdio = addresses.size === 0;
  const reached: Reached | undefined = isStdio
    ? { by: "stdio", launch: launchOf(paths, io.cwd, kept) }
    : reachedAt(addresses, access);
  return [
    ...(isStdio ? [] : whoMayCall(access)),
    ...(reached === undefined ? [] : [`Add it to a client: ${lineToPaste(name, reached)}`]),
    ...(isStdio && io.input.isTTY === true
      ? [
          "This is a terminal, and a client belongs there: --transport=http waits for one, photon run asks you.",
        ]
      : []),
  ];
}

/** The address that common clients know how to call; none of them calls a WebSocket. */
export function reachedAt(
  addresses: ReadonlyMap<HttpTransport, string>,
  { tokens }: Access,
): Reached | undefined {
  for (const by of ["http", "sse"] as const) {
    const url = addresses.get(by);
    if (url !== undefined) return { by, url, needsToken: tokens !== undefined };
  }
  return undefined;
}

function whoMayCall({ tokens, noAuth }: Access): readonly string[] {
  if (tokens !== undefined) return [`Callers need the token of ${Object.keys(tokens).join(", ")}.`];
  return noAuth ? ["Everybody who reaches it may call it (--no-auth)."] : [];
}

/** The line that adds a server to Claude Code. */
function lineToPaste(name: string, reached: Reached): string {
  return reached.by === "stdio"
    ? `claude mcp add ${quoted(name)} -- ${commandLine(reached.launch)}`
    : `claude mcp add --transport ${reached.by} ${quoted(name)} ${reached.url}${headerFlag(reached)}`;
}

const headerFlag = ({ needsToken }: { readonly needsToken: boolean }): string =>
  needsToken ? ` --header ${quoted(`${HEADER.name}: ${HEADER.value}`)}` : "";
