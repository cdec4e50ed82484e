/** `photon list`: what files offer, and what it asks. */
import type { Tool } from "@photon/core";
import { isUrl } from "../call/server-address.ts";
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/common-flags.ts";
import { originalOf } from "../load/generator-tools.ts";
import { loadDefinitions, type Loaded } from "../load/load.ts";
import { UsageError } from "../errors.ts";
import { write } from "../io.ts";
import { keepStdout } from "./keep-stdout.ts";
import { asksIn } from "./list-asks.ts";
import { listText } from "./list-text.ts";
import type { Listing } from "./listing.ts";

const flags = {
  json: { type: "boolean", summary: "print one JSON document" },
  ...commonFlags,
} as const;

export const list: Command = {
  flags,
  execute(args, io) {
    const at = args.indexOf("--");
    return at < 0 ? listOf([]).execute(args, io) : listOf(args.slice(at + 1)).execute(args.slice(0, at), io);
  },
};

/** The command, where this is what stands after `--`: the command of a server. */
const listOf = (server: readonly string[]): Command =>
  command({
    name: "photon list",
    usage: "[paths… | address | -- command]",
    description: `Shows the tools, prompts and resources of files: their inputs, what they need of a client, and the questions
that their source shows. Paths are those of photon serve. Of a server, by its address or its command: what it offers.`,
    flags,
    examples: ["photon list", "photon list tools/web.ts --json"],
    async run({ values, words }, io) {
      const address = words.find(isUrl);
      if (address !== undefined || server.length > 0) {
        if (words.length > (server.length > 0 ? 0 : 1))
          throw new UsageError(
            "photon list takes paths, or one server: its address, or its command after --.",
          );
        const { listServer } = await import("./call.ts");
        return listServer(server.length > 0 ? ["--", ...server] : words, values, io);
      }
      // What a file prints when it is loaded is no part of the list.
      const stdout = keepStdout(io);
      const kept = stdout.io;
      try {
        const loaded = await loadDefinitions(words, { cwd: io.cwd });
        for (const note of loaded.notes) await write(kept.errorOutput, `${note}\n`);
        const listing = await listed(loaded);
        await write(
          kept.output,
          values.json ? `${JSON.stringify(listJson(listing), null, 2)}\n` : listText(listing, kept),
        );
        return 0;
      } finally {
        stdout.giveBack();
      }
    },
  });

async function listed({ tools, prompts, resources }: Loaded): Promise<Listing> {
  const known = async <Definition extends { readonly run: (...args: never) => unknown }>(
    definitions: readonly Definition[],
  ) =>
    Promise.all(
      definitions.map(async (definition) => ({ definition, asks: await asksIn(originalOf(definition.run)) })),
    );
  return { tools: await known(tools), prompts: await known(prompts), resources: await known(resources) };
}

/** In the words of MCP, where it has some. */
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
        ...promisesOf(rest),
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
      ...promisesOf(rest),
      asks,
    })),
    resources: resources.map(
      ({ definition: { uri, variables, name, title, description, mimeType, ...rest }, asks }) => ({
        [variables.length === 0 ? "uri" : "uriTemplate"]: uri,
        name,
        title,
        description,
        mimeType,
        ...promisesOf(rest),
        asks,
      }),
    ),
  };
}

const promisesOf = ({
  version,
  durable,
  needs,
}: Pick<Tool<never>, "version" | "durable" | "needs">): object => ({
  version,
  durable,
  needs,
});
