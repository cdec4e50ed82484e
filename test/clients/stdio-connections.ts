/** Connections of the SDK's clients to a child process. A module of its own: a test that imports it is not quick. */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { StdioClientTransport as StdioTransportV2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Connection, TransportV1, TransportV2 } from "./connections.ts";
import { EventLog } from "./event-log.ts";

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the lines that the process writes to stderr. */
  readonly stderr?: EventLog<string>;
}

/** Runs Node with these arguments. */
const parameters = (args: readonly string[], { cwd, env }: ChildOptions) => ({
  command: process.execPath,
  args: [...args],
  stderr: "pipe" as const,
  ...(cwd !== undefined && { cwd }),
  ...(env !== undefined && { env: { ...env } }),
});

export const stdioTransportV1 = (args: readonly string[], options: ChildOptions = {}): StdioClientTransport =>
  new StdioClientTransport(parameters(args, options));

export function stdioV1(args: readonly string[], options: ChildOptions = {}): Connection<TransportV1> {
  const transport = stdioTransportV1(args, options);
  linesOf(transport.stderr, options.stderr);
  return { transport };
}

/** To find the revision, the client starts a second process, whose stderr is not read. */
export function stdioV2(args: readonly string[], options: ChildOptions = {}): Connection<TransportV2> {
  const transport = new StdioTransportV2(parameters(args, options));
  linesOf(transport.stderr, options.stderr);
  return { transport };
}

/** The lines of the stderr of a transport. */
export function linesOf(stderr: unknown, log: EventLog<string> = new EventLog()): EventLog<string> {
  // With `stderr: "pipe"` the transport has a stream from the start; its type says less.
  createInterface({ input: stderr as Readable }).on("line", (line) => log.add(line));
  return log;
}
