/**
 * The kinds of calls: tools, prompts, resources. For each, how its input is parsed, and how its result and errors are formatted.
 *
 * They are the same in every revision: the `ClientPort` carries the questions.
 */
import {
  AskError,
  parseArguments,
  parseInput,
  errorResult,
  InvalidAnswer,
  InvalidInput,
  InvalidOutput,
  PhotonError,
  type Prompt,
  type PromptResult,
  type Resource,
  type ResourceResult,
  resultOf,
  type Schema,
  type Tool,
} from "@photon/core";
import type { ClientPort } from "./client-port.ts";
import { promptResultOf, resourceResultOf, toolResultOf } from "../protocol/results.ts";
import { type DefinitionKind, DefinitionRunner, type CallRunner } from "./call-runner.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";

export const callTool = (tool: Tool<never>, given: unknown, clientPort: ClientPort): CallRunner =>
  new DefinitionRunner(tools, tool, given, clientPort);

export const getPrompt = (prompt: Prompt<never>, given: unknown, clientPort: ClientPort): CallRunner =>
  new DefinitionRunner(prompts, prompt, given, clientPort);

export const readResource = (resource: Resource<never>, found: Found, clientPort: ClientPort): CallRunner =>
  new DefinitionRunner(resources, resource, found, clientPort);

/** Where a resource was found, and what its template read there. */
interface Found {
  readonly uri: string;
  readonly variables: object;
}

const tools: DefinitionKind<Tool<never>, unknown, never, unknown> = {
  // Some clients send a parameter of their own to a tool that has none.
  parseInput: (tool, given) =>
    parseInput(tool, isRecord(given) && hasNoInput(tool.input) ? {} : (given ?? {})),
  formatResult: (ended, tool, _, { features }) =>
    resultOf(tool, ended).then((result) => toolResultOf(result, features)),
  formatError(error, clientPort) {
    if (error instanceof RpcError) throw error;
    // What Photon says itself, the result says too; what the tool threw, its author wants to see.
    if (!(error instanceof PhotonError)) clientPort.settings.report(error);
    const result = errorResult(error);
    // A model that reads that a question was not answered should know that the client may not have shown it.
    const isUnanswered = error instanceof AskError && !(error instanceof InvalidAnswer);
    const remark = isUnanswered ? clientPort.failureNote?.() : undefined;
    const content = remark === undefined ? [] : [{ type: "text", text: remark } as const];
    return toolResultOf({ ...result, content: [...result.content, ...content] }, clientPort.features);
  },
};

/** Whether a tool takes no input at all. */
function hasNoInput({ json, standard }: Schema): boolean {
  const { properties = {}, additionalProperties, patternProperties } = json;
  const isClosed = additionalProperties === false && patternProperties === undefined;
  return standard === undefined && isClosed && Object.keys(properties).length === 0;
}

const prompts: DefinitionKind<Prompt<never>, unknown, never, PromptResult> = {
  /** What is wrong with the arguments of a prompt is wrong with the request: there is no result to say it in. */
  parseInput(prompt, given) {
    try {
      return parseArguments(prompt, given ?? {});
    } catch (error) {
      throw error instanceof InvalidInput ? new RpcError(INVALID_PARAMS, error.message) : error;
    }
  },
  formatResult: ({ value }, prompt, _, { features }) => promptResultOf(value, prompt, features),
  formatError: throwAsProtocolError,
};

const resources: DefinitionKind<Resource<never>, Found, never, ResourceResult> = {
  // They were read by the resource's own template; which those are is not in the type of any resource.
  parseInput: (_, { variables }) => variables as never,
  formatResult: ({ value }, resource, { uri }) => resourceResultOf(value, uri, resource),
  formatError: throwAsProtocolError,
};

/** A prompt or a resource has no result that says what went wrong; what Photon says about it becomes the error. */
function throwAsProtocolError(error: unknown): JsonObject {
  const isSaid = error instanceof PhotonError && !(error instanceof InvalidOutput);
  throw isSaid ? new RpcError(INTERNAL_ERROR, error.message) : error;
}
