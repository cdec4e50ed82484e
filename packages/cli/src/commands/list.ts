/** `photon list`: the tools, prompts and resources of files, with the questions in their source. */
import type { Tool } from "@photon/core";
import { isUrl } from "../call/server-address.ts";
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { commonFlags } from "../flags/flags.ts";
import { write, type CommandIO, redirectStdout } from "../io.ts";
import { originalOf } from "../load/generator-tools.ts";
import { loadDefinitions, type Loaded } from "../load/load.ts";
import { asksIn } from "../load/asks-in-source.ts";
import { listText, type Listing } from "../list-text.ts";

export const list: Command = command({
  name: "photon list",
  usage: ["photon list [paths… | address | -- command] [flags]"],
  description: `Lists the tools, prompts and resources of files: their inputs, what they need of a client, and the questions
in their source. Paths are those of photon serve. For a server, by its address or its command: what it offers.`,
  flags: { Flags: { json: { type: "boolean", summary: "print one JSON document" }, ...commonFlags } },
  examples: ["photon list", "photon list tools/web.ts --json", "photon list -- photon serve greet"],
  async run({ values, positionals, rest }, io) {
    const isServer = rest.length > 0 || positionals.some(isUrl);
    if (!isServer) return listFiles(positionals, values, io);
    const [surplus] =
      rest.length > 0
        ? positionals
        : [...positionals.filter((path) => !isUrl(path)), ...positionals.filter(isUrl).slice(1)];
    if (surplus !== undefined)
      throw new UsageError(`photon list takes one server; remove ${JSON.stringify(surplus)}.`);
    const { listServer } = await import("./call.ts");
    return listServer(rest.length > 0 ? ["--", ...rest] : positionals, values, io);
  },
});

async function listFiles(
  paths: readonly string[],
  { json }: { readonly json: boolean },
  io: CommandIO,
): Promise<number> {
  const { io: redirected, restore } = redirectStdout(io);
  try {
    const loaded = await loadDefinitions(paths, { cwd: io.cwd });
    for (const note of loaded.notes) await write(redirected.errorOutput, `${note}\n`);
    const listing = await listingOf(loaded);
    const text = json ? `${JSON.stringify(listJson(listing), null, 2)}\n` : listText(listing, redirected);
    await write(redirected.output, text);
    return 0;
  } finally {
    restore();
  }
}

async function listingOf({ tools, prompts, resources }: Loaded): Promise<Listing> {
  const withAsks = async <Definition extends { readonly run: (...args: never) => unknown }>(
    definitions: readonly Definition[],
  ) =>
    Promise.all(
      definitions.map(async (definition) => ({ definition, asks: await asksIn(originalOf(definition.run)) })),
    );
  return {
    tools: await withAsks(tools),
    prompts: await withAsks(prompts),
    resources: await withAsks(resources),
  };
}

/** With the names of MCP, where MCP has one. */
function listJson({ tools, prompts, resources }: Listing): object {
  return {
    tools: tools.map(
      ({ definition: { name, title, description, input, output, annotations, ...rest }, asks }) => ({
        name,
        title,
        description,
        inputSchema: input.json,
        outputSchema: output?.json,
        annotations,
        ...requirementsOf(rest),
        asks,
      }),
    ),
    prompts: prompts.map(({ definition: { name, title, description, arguments: args, ...rest }, asks }) => ({
      name,
      title,
      description,
      arguments: Object.entries(args).map(([argument, about]) => ({
        name: argument,
        title: about.title,
        description: about.description,
        required: about.required === true,
      })),
      ...requirementsOf(rest),
      asks,
    })),
    resources: resources.map(
      ({ definition: { uri, variables, name, title, description, mimeType, ...rest }, asks }) => ({
        [variables.length === 0 ? "uri" : "uriTemplate"]: uri,
        name,
        title,
        description,
        mimeType,
        ...requirementsOf(rest),
        asks,
      }),
    ),
  };
}

const requirementsOf = ({
  version,
  durable,
  needs,
}: Pick<Tool<never>, "version" | "durable" | "needs">): object => ({
  version,
  durable,
  needs,
});
