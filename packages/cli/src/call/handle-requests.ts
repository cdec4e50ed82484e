/** What a server may want of us while it is called. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import type { CallOptions } from "../commands/call-flags.ts";
import type { Person } from "./person.ts";
import { detailsIn, wantsDetails } from "./question-details.ts";

/** There is no model in a terminal. What is not declared the client refuses by itself. */
export const capabilitiesFor = ({ root }: Pick<CallOptions, "root">): ClientCapabilities => ({
  ...wantsDetails,
  elicitation: { form: {}, url: {} },
  ...(root ? { roots: {} } : {}),
});

interface Handling {
  readonly person: Person;
  readonly options: Pick<CallOptions, "root">;
  readonly cwd: string;
}

export function handleRequests(client: Client, { person, options, cwd }: Handling): void {
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { id, signal, _meta: meta } }) =>
    person.answer(params, {
      id,
      signal,
      isModern: client.getProtocolEra() === "modern",
      details: detailsIn(meta),
    }),
  );
  if (options.root)
    client.setRequestHandler("roots/list", () => ({
      roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
    }));
}
