/** A listing, and its text. Pure. */
import type { JsonSchema, Prompt, Resource, Tool } from "@photon/core";
import type { CommandIO } from "./io.ts";
import type { KnownAsk } from "./load/asks-in-source.ts";
import { colorsFor } from "./terminal/colors.ts";
import { oneLine } from "./terminal/text.ts";
import { fieldsOf, typesOf } from "./tool-input/schema-fields.ts";

/** A definition, and the questions in its source. */
interface Listed<Definition> {
  readonly definition: Definition;
  readonly asks: readonly KnownAsk[];
}

export interface Listing {
  readonly tools: readonly Listed<Tool<never>>[];
  readonly prompts: readonly Listed<Prompt<never>>[];
  readonly resources: readonly Listed<Resource<never>>[];
}

/** The part that the text shows; a server lists no more than that. */
export interface ShownListing {
  readonly tools: readonly Listed<Pick<Tool<never>, "name" | "title" | "description" | "input" | "needs">>[];
  readonly prompts: readonly Listed<
    Pick<Prompt<never>, "name" | "title" | "description" | "arguments" | "needs">
  >[];
  readonly resources: readonly Listed<Pick<Resource<never>, "uri" | "title" | "description" | "needs">>[];
}

interface Item {
  readonly name: string;
  readonly description?: string | undefined;
  /** The lines below it: `["input", "city: string"]`. */
  readonly parts: readonly (readonly [label: string, text: string])[];
}

export function listText(
  { tools, prompts, resources }: ShownListing,
  { output, env }: Pick<CommandIO, "output" | "env">,
): string {
  const colors = colorsFor(output, env);
  const section = (title: string, items: readonly Item[]): readonly string[] =>
    items.length === 0
      ? []
      : [
          colors.bold(title),
          ...items.flatMap(({ name, description, parts }) => [
            `  ${colors.cyan(oneLine(name))}${description === undefined ? "" : `  ${oneLine(description)}`}`,
            ...parts.map(([label, text]) => `    ${colors.dim(label.padEnd(5))}  ${oneLine(text)}`),
          ]),
          "",
        ];
  return [
    ...section("Tools", tools.map(toolItem)),
    ...section("Prompts", prompts.map(promptItem)),
    ...section("Resources", resources.map(resourceItem)),
  ].join("\n");
}

function toolItem({
  definition: { name = "", title, description, input, needs },
  asks,
}: ShownListing["tools"][number]): Item {
  return {
    name,
    description: description ?? title,
    parts: [
      ...fieldsOf(input.json).map(({ name: field, schema, isRequired }) =>
        inputPart(field, schema, isRequired),
      ),
      ...otherParts(needs, asks),
    ],
  };
}

function promptItem({
  definition: { name = "", title, description, arguments: args, needs },
  asks,
}: ShownListing["prompts"][number]): Item {
  return {
    name,
    description: description ?? title,
    parts: [
      ...Object.entries(args).map(([argument, about]) =>
        inputPart(argument, { type: "string", description: about.description }, about.required === true),
      ),
      ...otherParts(needs, asks),
    ],
  };
}

function resourceItem({
  definition: { uri, title, description, needs },
  asks,
}: ShownListing["resources"][number]): Item {
  return { name: uri, description: description ?? title, parts: otherParts(needs, asks) };
}

function inputPart(name: string, schema: JsonSchema, isRequired: boolean): readonly [string, string] {
  const types = typesOf(schema).join(" or ");
  const description = typeof schema["description"] === "string" ? `: ${schema["description"]}` : "";
  return [
    "input",
    `${name} (${[types, isRequired ? "required" : "optional"].filter(Boolean).join(", ")})${description}`,
  ];
}

function otherParts(needs: readonly string[] | undefined, asks: readonly KnownAsk[]): Item["parts"] {
  return [
    ...(needs === undefined || needs.length === 0 ? [] : [["needs", needs.join(", ")] as const]),
    ...asks.map(({ kind, message, id, dangerous }) => {
      const words = message === undefined ? "" : ` ${JSON.stringify(message)}`;
      return [
        "asks",
        `${kind}${words}${id === undefined ? "" : ` (${id})`}${dangerous ? ", dangerous" : ""}`,
      ] as const;
    }),
  ];
}
