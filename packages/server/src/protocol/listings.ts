/** The entries of `tools/list`, `prompts/list` and `resources/list`. Pure. */
import { omitUndefined, type Prompt, type Resource, type Tool } from "@photon/core";
import type { JsonObject } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

export function toolListing(tool: Tool<never>, features: Features): JsonObject {
  const { name, title, description, input, output, annotations } = tool;
  const { structuredOutput } = features;
  return omitUndefined({
    name,
    title: features.titles ? title : undefined,
    description,
    inputSchema: input.json,
    outputSchema:
      structuredOutput === "any" || (structuredOutput === "object" && output?.json.type === "object")
        ? output?.json
        : undefined,
    annotations: features.toolAnnotations ? annotations : undefined,
  });
}

export function promptListing(
  { name, title, description, arguments: args }: Prompt<never>,
  features: Features,
): JsonObject {
  const described = Object.entries(args).map(([argument, about]) =>
    omitUndefined({
      name: argument,
      title: features.titles ? about.title : undefined,
      description: about.description,
      required: about.required,
    }),
  );
  return omitUndefined({
    name,
    title: features.titles ? title : undefined,
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
    title: features.titles ? title : undefined,
    description,
    mimeType,
  });
}
