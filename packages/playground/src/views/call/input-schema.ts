/** What an offer is called with, as a schema: one form, and one check, for all of them. */
import type { JsonSchema, Offer } from "../../desk/offer.ts";

export function inputSchemaOf(offer: Offer): JsonSchema {
  switch (offer.kind) {
    case "tool":
      // The title is above the form already.
      return { type: "object", ...offer.inputSchema, title: undefined, description: undefined };
    case "prompt":
      return {
        type: "object",
        properties: Object.fromEntries(
          offer.parameters.map(({ name, description }) => [name, { type: "string", description }]),
        ),
        required: offer.parameters.filter(({ required }) => required).map(({ name }) => name),
      };
    case "resource":
      return { type: "object", properties: {} };
    case "template": {
      const variables = variablesIn(offer.uriTemplate);
      return {
        type: "object",
        properties: Object.fromEntries(variables.map(({ name }) => [name, { type: "string" }])),
        required: variables.filter(({ required }) => required).map(({ name }) => name),
      };
    }
    default:
      return offer satisfies never;
  }
}

/** The variables of a URI template; those of its query may be left out. */
function variablesIn(template: string): readonly { readonly name: string; readonly required: boolean }[] {
  return [...template.matchAll(/\{([+#./;?&]?)([^}]+)\}/gu)].flatMap(([, operator = "", names = ""]) =>
    names.split(",").map((name) => ({
      name: name.replace(/(\*|:\d+)$/u, ""),
      required: operator !== "?" && operator !== "&",
    })),
  );
}

/** Whether there is nothing to fill in. */
export function takesNothing({ properties, ...schema }: JsonSchema): boolean {
  const hasFields =
    typeof properties === "object" && properties !== null && Object.keys(properties).length > 0;
  const hasMore = ["oneOf", "anyOf", "allOf", "$ref", "patternProperties"].some(
    (keyword) => keyword in schema,
  );
  return !hasFields && !hasMore && typeof schema["additionalProperties"] !== "object";
}
