/** What a server offers, shown: to people, or as one JSON document. */
import { listText, type ShownListing } from "../commands/list-text.ts";
import { oneLine } from "../terminal/clean-text.ts";
import { jsonText } from "../terminal/show-result.ts";
import { write } from "../io.ts";
import type { Calling } from "./calling.ts";
import { offersOf, type Offers } from "./offers.ts";
import { inputSchemaOf } from "./remote-tool.ts";

export async function showOffers(calling: Calling): Promise<number> {
  const { client, options, stage } = calling;
  const { io, terminal } = stage;
  const offers = await offersOf(calling);
  const server = client.getServerVersion();
  const revision = client.getNegotiatedProtocolVersion();
  if (options.json) {
    const about = { server, revision, instructions: client.getInstructions() };
    await write(io.output, jsonText({ ...about, ...offers }));
    return 0;
  }
  const who = server === undefined ? "A server" : `${server.name} ${server.version}`;
  terminal.output.write(`${terminal.paint.dim(oneLine(`${who}, ${revision ?? ""}`))}\n`);
  await write(io.output, listText(listingOf(offers), io));
  return 0;
}

function listingOf({ tools, prompts, resources, resourceTemplates }: Offers): ShownListing {
  return {
    tools: tools.map((tool) =>
      offered({ name: tool.name, ...wordsOf(tool), input: { json: inputSchemaOf(tool) } }),
    ),
    prompts: prompts.map(({ arguments: args = [], ...prompt }) => {
      const about = args.map(
        (one) => [one.name, { ...wordsOf(one), required: one.required === true }] as const,
      );
      return offered({ name: prompt.name, ...wordsOf(prompt), arguments: Object.fromEntries(about) });
    }),
    resources: [
      ...resources.map(({ uri, name, title = name, description }) =>
        offered({ uri, ...wordsOf({ title, description }) }),
      ),
      ...resourceTemplates.map(({ uriTemplate: uri, name, title = name, description }) =>
        offered({ uri, ...wordsOf({ title, description }) }),
      ),
    ],
  };
}

/** What the tools of a server ask is not known before they do. */
const offered = <Definition>(
  definition: Definition,
): { readonly definition: Definition; readonly asks: [] } => ({
  definition,
  asks: [],
});

interface Words {
  readonly title?: string;
  readonly description?: string;
}

function wordsOf({ title, description }: { readonly [Word in keyof Words]: string | undefined }): Words {
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
}
