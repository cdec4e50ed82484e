/** What a server offers. Only what it says it has is asked for: of anything else the client prints, to stdout, that it is not there. */
import {
  ProtocolError,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from "@modelcontextprotocol/client";
import { callFailed } from "./call-failed.ts";
import type { Calling } from "./calling.ts";

export interface Offers {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
}

type Asking = Pick<Calling, "client" | "target" | "request">;

export async function toolsOf(asking: Asking): Promise<readonly Tool[]> {
  const { client, request } = asking;
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return heard(asking, async () => (await client.listTools(undefined, request)).tools);
}

export async function offersOf(asking: Asking): Promise<Offers> {
  const { client, request } = asking;
  const { prompts, resources } = client.getServerCapabilities() ?? {};
  const ask = async <Offer>(
    isThere: boolean,
    list: () => Promise<readonly Offer[]>,
  ): Promise<readonly Offer[]> => (isThere ? heard(asking, list) : []);
  return {
    tools: await toolsOf(asking),
    prompts: await ask(
      prompts !== undefined,
      async () => (await client.listPrompts(undefined, request)).prompts,
    ),
    resources: await ask(
      resources !== undefined,
      async () => (await client.listResources(undefined, request)).resources,
    ),
    resourceTemplates: await ask(
      resources !== undefined,
      async () => (await client.listResourceTemplates(undefined, request)).resourceTemplates,
    ),
  };
}

const METHOD_NOT_FOUND = -32_601;

/** What is listed; nothing where the server has no such list, as many that have resources have no templates. */
async function heard<Offer>(
  { target, request }: Asking,
  list: () => Promise<readonly Offer[]>,
): Promise<readonly Offer[]> {
  try {
    return await list();
  } catch (failure) {
    request.signal?.throwIfAborted();
    if (failure instanceof ProtocolError && failure.code === METHOD_NOT_FOUND) return [];
    throw callFailed(target, failure);
  }
}
