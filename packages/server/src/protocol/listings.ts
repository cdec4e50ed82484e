/** The entries of `tools/list`, `prompts/list` and `resources/list`. Pure. */
import type { Prompt, Resource, Tool } from "@photon/core";
import { omitUndefined } from "../util/omit-undefined.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

export function toolListing(tool: Tool<never>, features: Features): JsonObject {
  const { name, title, description, input, output, annotations } = tool;
  return omitUndefined({
    name,
    title: features.since2506 ? title : undefined,
    description,
    inputSchema: input.json,
    // Before 2026-07-28 an output schema has the type "object".
    outputSchema:
      features.since2607 || (features.since2506 && output?.json.type === "object") ? output?.json : undefined,
    annotations: features.since2503 ? annotations : undefined,
  });
}

export function promptListing(
  { name, title, description, arguments: args }: Prompt<never>,
  features: Features,
): JsonObject {
  const described = Object.entries(args).map(([argument, about]) =>
    omitUndefined({
      name: argument,
      title: features.since2506 ? about.title : undefined,
      description: about.description,
      required: about.required,
    }),
  );
  return omitUndefined({
    name,
    title: features.since2506 ? title : undefined,
    description,
    arguments: described.length === 0 ? undefined : described,
  });
}

export function resourceListing(resource: Resource<never>, features: Features): JsonObject {
  const { uri, variables, name, title, description, mimeType } = resource;
  const address = variables.length === 0 ? { uri } : { uriTemplate: uri };
  return omitUndefined({
    ...address,
    name,
    title: features.since2506 ? title : undefined,
    description,
    mimeType,
  });
}
