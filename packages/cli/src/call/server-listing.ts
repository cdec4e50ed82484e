/** `--list`: what a server offers, as text or JSON; and the tool that a call names. */
import {
  ProtocolError,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from "@modelcontextprotocol/client";
import type { JsonSchema } from "@photon/core";
import { listText, type ShownListing } from "../list-text.ts";
import { UsageError } from "../errors.ts";
import { write } from "../io.ts";
import { pickTool } from "../run/pick-tool.ts";
import { jsonText } from "../terminal/result.ts";
import { oneLine } from "../terminal/text.ts";
import type { CallContext } from "./call.ts";
import { callError } from "./errors.ts";
import { nameOf } from "./server-address.ts";

interface ServerListing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
}

/** The input schema of a tool as core reads schemas. The client has checked that it is the schema of an object. */
export const inputSchemaOf = ({ inputSchema }: Tool): JsonSchema => inputSchema as JsonSchema;

export async function printListing(context: CallContext): Promise<number> {
  const { client, options, session } = context;
  const { io, terminal } = session;
  const listing = await requestListing(context);
  const server = client.getServerVersion();
  const revision = client.getNegotiatedProtocolVersion();
  if (options.json) {
    const about = { server, revision, instructions: client.getInstructions() };
    await write(io.output, jsonText({ ...about, ...listing }));
    return 0;
  }
  const name = server === undefined ? "A server" : `${server.name} ${server.version}`;
  terminal.output.write(`${terminal.colors.dim(oneLine(`${name}, ${revision ?? ""}`))}\n`);
  await write(io.output, listText(shownListing(listing), io));
  return 0;
}

/** The tool that is named, or the only one, or the one that the person chooses; undefined if the person left. */
export async function pickServerTool(context: CallContext): Promise<Tool | undefined> {
  const where = `at ${nameOf(context.address)}`;
  const tools = await requestTools(context);
  if (tools.length === 0) throw new UsageError(`There are no tools ${where}.`);
  return pickTool(tools, { name: context.options.tool, where, format: oneLine }, context.session);
}

/** Requests only the lists that the server has declared: for any other, the client prints a line to stdout. */
async function requestListing(context: CallContext): Promise<ServerListing> {
  const { client, request } = context;
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  const hasResources = resources !== undefined;
  return {
    tools: await requestTools(context),
    prompts:
      prompts === undefined
        ? []
        : await requestList(context, async () => (await client.listPrompts(undefined, request)).prompts),
    resources: hasResources
      ? await requestList(context, async () => (await client.listResources(undefined, request)).resources)
      : [],
    resourceTemplates: hasResources
      ? await requestList(
          context,
          async () => (await client.listResourceTemplates(undefined, request)).resourceTemplates,
        )
      : [],
  };
}

async function requestTools(context: CallContext): Promise<readonly Tool[]> {
  const { client, request } = context;
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return requestList(context, async () => (await client.listTools(undefined, request)).tools);
}

const METHOD_NOT_FOUND = -32_601;

/** Empty if the server does not know the method: many that have resources have no templates. */
async function requestList<Item>(
  { address, request }: CallContext,
  list: () => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  try {
    return await list();
  } catch (failure) {
    request.signal?.throwIfAborted();
    if (failure instanceof ProtocolError && failure.code === METHOD_NOT_FOUND) return [];
    throw callError(address, failure);
  }
}

function shownListing({ tools, prompts, resources, resourceTemplates }: ServerListing): ShownListing {
  return {
    tools: tools.map((tool) =>
      offered({ name: tool.name, ...labelsOf(tool), input: { json: inputSchemaOf(tool) } }),
    ),
    prompts: prompts.map(({ arguments: args = [], ...prompt }) => {
      const entries = args.map(
        (one) => [one.name, { ...labelsOf(one), required: one.required === true }] as const,
      );
      return offered({ name: prompt.name, ...labelsOf(prompt), arguments: Object.fromEntries(entries) });
    }),
    resources: [
      ...resources.map(({ uri, name, title = name, description }) =>
        offered({ uri, ...labelsOf({ title, description }) }),
      ),
      ...resourceTemplates.map(({ uriTemplate: uri, name, title = name, description }) =>
        offered({ uri, ...labelsOf({ title, description }) }),
      ),
    ],
  };
}

/** The questions of a remote tool are not known before it asks them. */
const offered = <Definition>(
  definition: Definition,
): { readonly definition: Definition; readonly asks: [] } => ({
  definition,
  asks: [],
});

interface Labels {
  readonly title?: string;
  readonly description?: string;
}

function labelsOf({ title, description }: { readonly [Label in keyof Labels]: string | undefined }): Labels {
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}
