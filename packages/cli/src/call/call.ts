/**
 * `photon call`: connects, picks the tool, completes its input, calls it, and prints the result.
 *
 *   1. `ElicitationHandler` answers the questions of the server during the call. Logs and progress are shown.
 *   2. When the call ends from here (ctrl+c, or an idle server), the server is notified.
 *   3. If a tool requires that URLs are opened first, it is called again once they were.
 */
import {
  UrlElicitationRequiredError,
  type CallToolResult,
  type Client,
  type RequestOptions,
  type Tool,
} from "@modelcontextprotocol/client";
import {
  errorResult,
  InvalidDefinition,
  InvalidInput,
  milliseconds,
  parseContent,
  parseInput,
  tool as toolOf,
  type Content,
  type Json,
  type Result,
} from "@photon/core";
import { callFlags, callToolHelp, type CallOptions } from "./call-flags.ts";
import { UsageError } from "../errors.ts";
import { write } from "../io.ts";
import { openHost, type OpenHost } from "../run/terminal-host.ts";
import type { TerminalSession } from "../run/terminal-session.ts";
import { jsonText } from "../terminal/result.ts";
import { gatherInput } from "../tool-input/gather-input.ts";
import { connect, MAX_TIMEOUT_MS } from "./connect.ts";
import { capabilitiesFor, ElicitationHandler, handleRequests } from "./elicitation.ts";
import { callError, idleError } from "./errors.ts";
import { BufferedOutput, ProgressReader, receiveLogs } from "./notifications.ts";
import { parseHeaders, plaintextWarning, type ServerAddress } from "./server-address.ts";
import { inputSchemaOf, pickServerTool, printListing } from "./server-listing.ts";

/** The parts of one `photon call`, once it is connected. */
export interface CallContext {
  readonly client: Client;
  readonly address: ServerAddress;
  readonly options: CallOptions;
  readonly session: TerminalSession;
  readonly opened: OpenHost;
  readonly handler: ElicitationHandler;
  readonly output: BufferedOutput;
  readonly idle: IdleTimeout;
  /** The timeout and the signal of requests that no person takes part in. */
  readonly request: RequestOptions;
}

/** Limits how long the server may send nothing while it works. The time that a person takes to answer does not count. */
export class IdleTimeout {
  readonly #limit: number | undefined;
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  /** `limit` in milliseconds; undefined for no limit. */
  constructor(limit: number | undefined, onTimeout: () => void) {
    this.#limit = limit;
    this.#onTimeout = onTimeout;
  }

  /** Starts when the server begins to work. */
  start(): void {
    this.#isRunning = true;
    this.reset();
  }

  /** Starts again from zero, because the server has sent something. */
  reset(): void {
    clearTimeout(this.#timer);
    if (this.#limit !== undefined && this.#isRunning) this.#timer = setTimeout(this.#onTimeout, this.#limit);
  }

  /** Stops while a person answers, and when the call has ended. */
  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }
}

export async function callServer(
  address: ServerAddress,
  options: CallOptions,
  session: TerminalSession,
): Promise<number> {
  const { io, signals } = session;
  const headers = parseHeaders(options.header, options.token);
  const opened = await openHost(options, session);
  const warning = plaintextWarning(address, headers);
  if (warning !== undefined) opened.host.emits.print(warning, "yellow");
  const limit =
    options.timeout === "none"
      ? undefined
      : Math.min(milliseconds(options.timeout, "--timeout"), MAX_TIMEOUT_MS);
  const request = { timeout: limit ?? MAX_TIMEOUT_MS, signal: signals.run };
  const idle = new IdleTimeout(limit, () => signals.fail(idleError(address, options.timeout)));
  const output = new BufferedOutput(opened.host.emits);
  const onAsking = (isAsking: boolean): void => {
    output.setPaused(isAsking);
    if (isAsking || signals.run.aborted) idle.stop();
    else idle.start();
  };
  const handler = new ElicitationHandler({ host: opened.host, named: opened.named, onAsking });
  try {
    const { client, close } = await connect(address, {
      ...request,
      io,
      headers,
      ...(options.revision === undefined ? {} : { revision: options.revision }),
      capabilities: capabilitiesFor(options),
      prepare: (unconnected) => handleRequests(unconnected, { handler, options, cwd: io.cwd }),
      onStderrLine: (line) => output.show(line),
      onMessage: () => idle.reset(),
      toSend: (message) => handler.withBeforehand(message),
    });
    try {
      return await useServer({ client, address, options, session, opened, handler, output, idle, request });
    } finally {
      idle.stop();
      await close();
    }
  } finally {
    await opened.close();
  }
}

async function useServer(context: CallContext): Promise<number> {
  const { options, session } = context;
  if (options.list) return printListing(context);
  const tool = await pickServerTool(context);
  if (tool === undefined) return 130;
  const { name, title, description } = tool;
  if (options.help) {
    const help = callToolHelp(
      { name, about: description ?? title ?? name, input: inputSchemaOf(tool) },
      session.io,
    );
    await write(session.io.output, help);
    return 0;
  }
  const input = await completeInput(tool, context);
  return input === undefined ? 130 : callTool(tool, input, context);
}

/** The input from flags, `--input` and the person; undefined if the person left. */
async function completeInput(tool: Tool, { options, session }: CallContext): Promise<object | undefined> {
  const schema = inputSchemaOf(tool);
  const input = await gatherInput({ name: tool.name, schema, ownFlags: callFlags }, options, session);
  if (input === undefined) return undefined;
  try {
    await parseInput(toolOf({ name: tool.name, input: schema, async *run() {} }), input);
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new UsageError(`${error.message} The same with --help shows its input.`, { cause: error });
    // A schema that core does not support is for the server to check.
    if (!(error instanceof InvalidDefinition)) throw error;
  }
  // Not the parsed input: the server fills in its own defaults.
  return input;
}

/** Calls a tool with an input that was checked; returns the exit code. */
async function callTool(tool: Tool, input: object, context: CallContext): Promise<number> {
  const { address, session, opened, idle } = context;
  const { signals, reporter } = session;
  try {
    const result = await callUntilResult(tool, input, context);
    idle.stop();
    opened.stop();
    return await printResult(result, context);
  } catch (failure) {
    idle.stop();
    opened.stop();
    const { run } = signals;
    const error: unknown = run.aborted ? run.reason : callError(address, failure);
    return reporter.reportFailure(errorResult(error), error, signals.isInterrupted(error));
  }
}

async function callUntilResult(tool: Tool, input: object, context: CallContext): Promise<CallToolResult> {
  const { client, options, session, output, idle, request } = context;
  const logs = { level: options.logLevel, isRequested: options.wantsLevel };
  const meta = await receiveLogs(client, tool.name, logs, output, request);
  if (session.terminal.isScreen) output.show({ emit: "status", message: `Calling ${tool.name}` });
  const progress = new ProgressReader();
  // The SDK drops `onprogress` when it reads the response, and then loses notifications that arrived in the same read.
  client.setNotificationHandler("notifications/progress", ({ params }) => output.show(progress.read(params)));
  for (;;) {
    idle.start();
    try {
      return await client.callTool(
        { name: tool.name, arguments: { ...input }, _meta: meta },
        {
          ...request,
          // `IdleTimeout` limits the time instead: the time that a person takes does not count.
          timeout: MAX_TIMEOUT_MS,
          // Without it the request has no progress token.
          onprogress() {},
        },
      );
    } catch (failure) {
      if (!(failure instanceof UrlElicitationRequiredError) || !(await askToOpenUrls(failure, context)))
        throw failure;
    }
  }
}

/** Asks the user to open the URLs that the tool requires; returns whether all were opened. */
async function askToOpenUrls(
  { elicitations }: UrlElicitationRequiredError,
  { handler, request }: CallContext,
): Promise<boolean> {
  const { signal = new AbortController().signal } = request;
  if (elicitations.length === 0) return false;
  for (const params of elicitations) {
    const { action } = await handler.answer({ ...params, mode: "url" }, { isStateless: false, signal });
    if (action !== "accept") return false;
  }
  return true;
}

async function printResult(
  called: CallToolResult,
  { session, opened, options, handler }: CallContext,
): Promise<number> {
  const { io, reporter } = session;
  const result = parseCallResult(called);
  if (options.json) await write(io.output, jsonText(documentOf(called)));
  else
    await reporter.reportResult(
      result,
      { done: true, value: null, artifacts: [], streamed: "" },
      opened.artifacts,
    );
  if (!result.isError) return 0;
  return handler.hasCancelled ? 130 : 1;
}

/** The result as the server sent it, with its additional members. */
function documentOf({ content, structuredContent, isError = false, ...rest }: CallToolResult): object {
  return { content, ...(structuredContent === undefined ? {} : { structuredContent }), isError, ...rest };
}

function parseCallResult({ content, structuredContent, isError }: CallToolResult): Result {
  return {
    content: content.map(
      (block): Content => parseContent(block) ?? { type: "text", text: JSON.stringify(block) },
    ),
    // It came as JSON.
    ...(structuredContent === undefined ? {} : { structured: structuredContent as Json }),
    isError: isError === true,
  };
}
