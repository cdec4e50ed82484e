import { UsageError } from "../errors.ts";
import { type CommandIO, write } from "../io.ts";
import { clientConfigs, type Reached } from "./client-configs.ts";
import { reachedAt } from "./hints.ts";
import { launchOf } from "./launch.ts";
import type { ServeOptions } from "./serve-tools.ts";
import { addressOf } from "./transports.ts";

/** Prints what clients have to be told of a server: the JSON on stdout, where it goes on stderr. */
export async function printConfig(options: ServeOptions, io: CommandIO): Promise<number> {
  const configs = clientConfigs(options.name, reachedBy(options, io));
  const byClient = Object.fromEntries(configs.map(({ client, config }) => [client, config]));
  const files = configs.map(({ client, file }) => `${client}: ${file}`);
  await write(io.errorOutput, `${files.join("\n")}\n`);
  await write(io.output, `${JSON.stringify(byClient, null, 2)}\n`);
  return 0;
}

/** A client that can start the server by itself needs nobody else to do it. */
function reachedBy(
  { paths, name, transports, host, port, kept, access }: ServeOptions,
  { cwd }: CommandIO,
): Reached {
  if (transports.stdio) {
    const called = name === "photon" ? [] : [`--name=${name}`];
    return { by: "stdio", launch: launchOf(paths, cwd, [...called, ...kept]) };
  }
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const reached = reachedAt(
    new Map(transports.http.map((transport) => [transport, addressOf(transport, url)])),
    access,
  );
  if (reached !== undefined) return reached;
  throw new UsageError(
    "No common client calls a WebSocket by itself; print the config of --transport=stdio or --transport=http.",
  );
}
