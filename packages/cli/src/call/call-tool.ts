/**
 * One call of a tool, with the terminal as its client.
 *
 *   1. What the server asks meanwhile is answered by `Person`, and what it tells is shown.
 *   2. Whatever ends the call from here, ctrl+c or a server that says nothing, is told to the server.
 *   3. A tool that demands web addresses to be visited first is called again once they were.
 */
import { UrlElicitationRequiredError, type CallToolResult, type Tool } from "@modelcontextprotocol/client";
import { errorResult, parseContent, type Content, type Json, type Result } from "@photon/core";
import { jsonText } from "../terminal/show-result.ts";
import { write } from "../io.ts";
import { callFailed } from "./call-failed.ts";
import type { Calling } from "./calling.ts";
import { FOR_EVER } from "./for-ever.ts";
import { hearLogs } from "./hear-logs.ts";
import { ProgressReader } from "./read-progress.ts";

/** Calls a tool with an input that was checked; the exit code. */
export async function callTool(tool: Tool, input: object, calling: Calling): Promise<number> {
  const { target, stage, opened, silence } = calling;
  const { interruptions, telling } = stage;
  try {
    const called = await callToTheEnd(tool, input, calling);
    silence.stop();
    opened.stop();
    return await tellResult(called, calling);
  } catch (failure) {
    silence.stop();
    opened.stop();
    const { run } = interruptions;
    const error: unknown = run.aborted ? run.reason : callFailed(target, failure);
    return telling.failed(errorResult(error), error, interruptions.isInterrupted(error));
  }
}

async function callToTheEnd(tool: Tool, input: object, calling: Calling): Promise<CallToolResult> {
  const { client, options, stage, told, silence, request } = calling;
  const wanted = { level: options.logLevel, isAsked: options.wantsLevel };
  const meta = await hearLogs(client, tool.name, wanted, told, request);
  if (stage.terminal.isScreen) told.show({ emit: "status", message: `Calling ${tool.name}` });
  const progress = new ProgressReader();
  // The SDK drops `onprogress` when it reads the response, and then loses notifications that arrived in the same read.
  client.setNotificationHandler("notifications/progress", ({ params }) => told.show(progress.read(params)));
  for (;;) {
    silence.count();
    try {
      return await client.callTool(
        { name: tool.name, arguments: { ...input }, _meta: meta },
        {
          ...request,
          // Silence is measured here, because what a person takes is not the server's time.
          timeout: FOR_EVER,
          // With it the request has a progress token.
          onprogress() {},
        },
      );
    } catch (failure) {
      if (!(failure instanceof UrlElicitationRequiredError) || !(await visited(failure, calling)))
        throw failure;
    }
  }
}

/** Whether all that must be visited first was. */
async function visited(
  { elicitations }: UrlElicitationRequiredError,
  { person, request }: Calling,
): Promise<boolean> {
  const { signal = new AbortController().signal } = request;
  if (elicitations.length === 0) return false;
  for (const params of elicitations) {
    const { action } = await person.answer({ ...params, mode: "url" }, { isModern: false, signal });
    if (action !== "accept") return false;
  }
  return true;
}

async function tellResult(
  called: CallToolResult,
  { stage, opened, options, person }: Calling,
): Promise<number> {
  const { io, telling } = stage;
  const result = resultOf(called);
  if (options.json) await write(io.output, jsonText(documentOf(called)));
  else
    await telling.ended(result, { done: true, value: null, artifacts: [], streamed: "" }, opened.artifacts);
  if (!result.isError) return 0;
  return person.hasCancelled ? 130 : 1;
}

/** The result as the server spelled it, with all that it said. */
function documentOf({ content, structuredContent, isError = false, ...rest }: CallToolResult): object {
  return { content, ...(structuredContent === undefined ? {} : { structuredContent }), isError, ...rest };
}

function resultOf({ content, structuredContent, isError }: CallToolResult): Result {
  return {
    content: content.map(
      (block): Content => parseContent(block) ?? { type: "text", text: JSON.stringify(block) },
    ),
    // It came as JSON.
    ...(structuredContent === undefined ? {} : { structured: structuredContent as Json }),
    isError: isError === true,
  };
}
