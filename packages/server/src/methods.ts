/**
 * The MCP methods of every revision. Queries are answered here; calls, which run a body, by calls/call-runner.ts.
 */
import { type Client, type Complete, InvalidOutput } from "@photon/core";
import type { Catalog } from "./catalog.ts";
import type { DurableClientPort } from "./durable/durable-call.ts";
import { ContinueCall } from "./handover/continue-call.ts";
import {
  CONTINUE,
  continuesCalls,
  continueTool,
  handoverTools,
  isContinueTool,
  isHandoverEnabled,
} from "./handover/continue-tools.ts";
import { HandedOverCall } from "./handover/handed-over-call.ts";
import type { ServerContext } from "./context.ts";
import { promptListing, resourceListing, toolListing } from "./protocol/listings.ts";
import type { Features } from "./protocol/revisions.ts";
import { type CallRunner, PromptRunner, ResourceRunner, ToolRunner } from "./calls/call-runner.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError } from "./jsonrpc/errors.ts";
import { isRecord, type Params, type JsonObject } from "./jsonrpc/messages.ts";

interface Query {
  readonly context: ServerContext;
  readonly features: Features;
  readonly params: Params;
  /** The client, if it takes a limited number of rounds of questions in one call. */
  readonly limited?: Client | undefined;
}

interface Call extends Query {
  /** Creates the client's side of the call. `logger` is the name of the tool, prompt or resource. */
  readonly clientPort: (logger: string) => DurableClientPort;
}

/** The number of values in a completion; MCP allows no more. */
const MAX_VALUES = 100;

/** Methods that look something up. */
export const queryMethods: { readonly [method: string]: (query: Query) => JsonObject | Promise<JsonObject> } =
  {
    "tools/list": ({ context, features, params, limited }) => {
      refuseCursor(params);
      const tools = context.catalog.tools.list();
      const listed = tools.map((tool) => toolListing(tool, features));
      if (isHandoverEnabled(tools, context.settings)) return { tools: [...listed, ...handoverTools] };
      if (!features.stateless || tools.length === 0 || !continuesCalls(context)) return { tools: listed };
      // Not the same for every client.
      const cacheScope = "private";
      return { tools: isContinued(context, limited) ? [...listed, continueTool] : listed, cacheScope };
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

/** Methods that run a body, which may ask questions. */
export const callMethods: { readonly [method: string]: (call: Call) => CallRunner } = {
  "tools/call": ({ context, params, limited, clientPort }) => {
    const name = textParam(params, "name");
    const input = params["arguments"];
    const tool = context.catalog.tools.find(name);
    const { handovers, settings } = context;
    if (tool !== undefined) {
      const mode = tool.whenUnsupported ?? settings.whenUnsupported;
      const port = clientPort(name);
      return mode === "fail"
        ? new ToolRunner(tool, input, port)
        : new HandedOverCall({ tool, mode }, input, port, handovers);
    }
    const isContinuable = name === CONTINUE && isContinued(context, limited);
    if (isContinuable || (isContinueTool(name) && isHandoverEnabled(context.catalog.tools.list(), settings)))
      return new ContinueCall(name, input, clientPort(name), handovers);
    throw new RpcError(INVALID_PARAMS, `There is no tool called ${JSON.stringify(name)}.`);
  },
  "prompts/get": ({ context: { catalog }, params, clientPort }) => {
    const name = textParam(params, "name");
    const prompt = catalog.prompts.find(name);
    if (prompt === undefined)
      throw new RpcError(INVALID_PARAMS, `There is no prompt called ${JSON.stringify(name)}.`);
    return new PromptRunner(prompt, params["arguments"], clientPort(name));
  },
  "resources/read": ({ context: { catalog }, features, params, clientPort }) => {
    const uri = textParam(params, "uri");
    const { resource, variables } = resourceAt(catalog, uri, features);
    return new ResourceRunner(resource, { uri, variables }, clientPort(resource.name));
  },
};

/** Whether `photon_continue` continues calls of a client: it can be asked, and takes a limited number of rounds in one call. */
function isContinued(context: ServerContext, limited: Client | undefined): boolean {
  if (limited === undefined || !continuesCalls(context)) return false;
  const { form, url, sample, roots } = limited.can;
  return form || url || sample || roots;
}

export const methodNotFound = (method: string): RpcError =>
  new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);

/** The resource at a URI, with the variables of its template. Throws if there is none. */
export function resourceAt(
  catalog: Catalog,
  uri: string,
  { stateless }: Features,
): NonNullable<ReturnType<Catalog["findResource"]>> {
  const found = catalog.findResource(uri);
  if (found !== undefined) return found;
  const code = stateless ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  throw new RpcError(code, `There is no resource at ${uri}.`, { uri });
}

export function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw new RpcError(INVALID_PARAMS, `${name} must be a text.`);
}

/** Lists have one page, so that this server never sends a cursor. */
function refuseCursor({ cursor }: Params): void {
  if (cursor !== undefined) throw new RpcError(INVALID_PARAMS, "That cursor is not one of this server's.");
}

async function complete({ context: { catalog }, params }: Query): Promise<JsonObject> {
  const { ref, argument, context: completed } = params;
  if (!isRecord(ref) || !isRecord(argument))
    throw new RpcError(INVALID_PARAMS, "A completion must have a ref and an argument.");
  const name = textParam(argument, "name");
  const typed = textParam(argument, "value");
  const completer = completerFor(catalog, ref, name);
  const others = isRecord(completed) && isRecord(completed["arguments"]) ? texts(completed["arguments"]) : {};
  // An author's function may return something other than its type says.
  const values: unknown = completer === undefined ? [] : await completer(typed, others);
  if (!isTexts(values))
    throw new InvalidOutput(`The completer of ${name}`, "a value that is not a list of texts");
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
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
    "A completion must refer to a prompt (ref/prompt) or a resource (ref/resource).",
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
