/**
 * The MCP methods of every revision. Queries are answered here; calls, which run a body, by calls/call-kinds.ts.
 */
import { type Client, type Complete, InvalidOutput } from "@photon/core";
import { callTool, getPrompt, readResource } from "./calls/call-kinds.ts";
import type { Catalog } from "./catalog.ts";
import type { DurableClientPort } from "./durable/drive-call.ts";
import { CONTINUE, continuesCalls, isContinueTool, isHandoverEnabled } from "./handover/model-text.ts";
import type { ServerContext } from "./context.ts";
import { promptListing, resourceListing, toolListing } from "./protocol/listings.ts";
import type { Features } from "./protocol/revisions.ts";
import type { CallRunner } from "./calls/call-runner.ts";
import { INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError } from "./jsonrpc/errors.ts";
import { isRecord, type Params, type JsonObject } from "./jsonrpc/messages.ts";

interface Query {
  readonly context: ServerContext;
  readonly features: Features;
  readonly params: Params;
  /** The client that asks, where it takes only so many rounds of questions in one call. */
  readonly limited?: Client | undefined;
}

interface Call extends Query {
  /** Makes the client's side of a call; `logger` names whose logs they are. */
  readonly clientPort: (logger: string) => DurableClientPort;
}

/** The most values that a completion gives. */
const MOST_VALUES = 100;

/** What is looked up. */
export const queries: { readonly [method: string]: (query: Query) => JsonObject | Promise<JsonObject> } = {
  "tools/list": ({ context, features, params, limited }) => {
    refuseCursor(params);
    const tools = context.catalog.tools.list();
    const listed = tools.map((tool) => toolListing(tool, features));
    if (isHandoverEnabled(tools, context.settings))
      return import("./handover/continue-tools.ts").then(({ handoverTools }) => ({
        tools: [...listed, ...handoverTools],
      }));
    if (!features.since2607 || tools.length === 0 || !continuesCalls(context)) return { tools: listed };
    // Not the same for every client: no cache may give it to another.
    const cacheScope = "private";
    if (!isContinued(context, limited)) return { tools: listed, cacheScope };
    return import("./handover/continue-tools.ts").then(({ continueTool }) => ({
      tools: [...listed, continueTool],
      cacheScope,
    }));
  },
  "prompts/list": ({ context: { catalog }, features, params }) => {
    refuseCursor(params);
    return { prompts: catalog.prompts.list().map((prompt) => promptListing(prompt, features)) };
  },
  "resources/list": ({ context: { catalog }, features, params }) => {
    refuseCursor(params);
    const fixed = catalog.resources.filter(({ variables }) => variables.length === 0);
    return { resources: fixed.map((resource) => resourceListing(resource, features)) };
  },
  "resources/templates/list": ({ context: { catalog }, features, params }) => {
    refuseCursor(params);
    const templates = catalog.resources.filter(({ variables }) => variables.length > 0);
    return { resourceTemplates: templates.map((resource) => resourceListing(resource, features)) };
  },
  "completion/complete": complete,
};

/** What runs a body, which may ask. */
export const calls: { readonly [method: string]: (call: Call) => CallRunner } = {
  "tools/call": ({ context, params, limited, clientPort }) => {
    const name = textParam(params, "name");
    const input = params["arguments"];
    const tool = context.catalog.tools.find(name);
    const { handovers, settings } = context;
    if (tool !== undefined) {
      const mode = tool.whenUnsupported ?? settings.whenUnsupported;
      const port = clientPort(name);
      return mode === "fail" ? callTool(tool, input, port) : handovers.call(tool, input, mode, port);
    }
    const isContinuable = name === CONTINUE && isContinued(context, limited);
    if (isContinuable || (isContinueTool(name) && isHandoverEnabled(context.catalog.tools.list(), settings)))
      return handovers.continueCall(name, input, clientPort(name));
    throw new RpcError(INVALID_PARAMS, `There is no tool called ${JSON.stringify(name)}.`);
  },
  "prompts/get": ({ context: { catalog }, params, clientPort }) => {
    const name = textParam(params, "name");
    const prompt = catalog.prompts.find(name);
    if (prompt === undefined)
      throw new RpcError(INVALID_PARAMS, `There is no prompt called ${JSON.stringify(name)}.`);
    return getPrompt(prompt, params["arguments"], clientPort(name));
  },
  "resources/read": ({ context: { catalog }, features, params, clientPort }) => {
    const uri = textParam(params, "uri");
    const { resource, variables } = resourceAt(catalog, uri, features);
    return readResource(resource, { uri, variables }, clientPort(resource.name));
  },
};

/** Whether calls of a client are continued by another call: of one that can be asked, and takes only so many rounds. */
function isContinued(context: ServerContext, limited: Client | undefined): boolean {
  if (limited === undefined || !continuesCalls(context)) return false;
  const { form, url, sample, roots } = limited.can;
  return form || url || sample || roots;
}

/** The resource at an address, or the error that says there is none. */
export function resourceAt(
  catalog: Catalog,
  uri: string,
  { since2607 }: Features,
): NonNullable<ReturnType<Catalog["findResource"]>> {
  const found = catalog.findResource(uri);
  if (found !== undefined) return found;
  const code = since2607 ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  throw new RpcError(code, `There is no resource at ${uri}.`, { uri });
}

export function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw new RpcError(INVALID_PARAMS, `${name} is a text.`);
}

/** Lists are given whole, so that no cursor is ever ours. */
function refuseCursor({ cursor }: Params): void {
  if (cursor !== undefined) throw new RpcError(INVALID_PARAMS, "That cursor is not one of this server's.");
}

async function complete({ context: { catalog }, params }: Query): Promise<JsonObject> {
  const { ref, argument, context: completed } = params;
  if (!isRecord(ref) || !isRecord(argument))
    throw new RpcError(INVALID_PARAMS, "A completion has a ref and an argument.");
  const name = textParam(argument, "name");
  const typed = textParam(argument, "value");
  const completer = completerFor(catalog, ref, name);
  const others = isRecord(completed) && isRecord(completed["arguments"]) ? texts(completed["arguments"]) : {};
  // What an author returns is not always what they said.
  const values: unknown = completer === undefined ? [] : await completer(typed, others);
  if (!isTexts(values)) throw new InvalidOutput(`The completer of ${name}`, "what is no list of texts");
  return {
    completion: {
      values: values.slice(0, MOST_VALUES),
      total: values.length,
      hasMore: values.length > MOST_VALUES,
    },
  };
}

function completerFor(catalog: Catalog, ref: Params, argument: string): Complete | undefined {
  if (ref["type"] === "ref/prompt") {
    const prompt = catalog.prompts.find(textParam(ref, "name"));
    if (prompt === undefined) throw new RpcError(INVALID_PARAMS, "There is no such prompt.");
    return Object.hasOwn(prompt.arguments, argument) ? prompt.arguments[argument]?.complete : undefined;
  }
  if (ref["type"] === "ref/resource") {
    const uri = textParam(ref, "uri");
    const resource = catalog.resources.find((one) => one.uri === uri);
    if (resource === undefined) throw new RpcError(INVALID_PARAMS, "There is no such resource.");
    const { complete: completers = {} } = resource;
    return Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  }
  throw new RpcError(
    INVALID_PARAMS,
    "A completion refers to a prompt (ref/prompt) or a resource (ref/resource).",
  );
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}

function texts(given: JsonObject): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
