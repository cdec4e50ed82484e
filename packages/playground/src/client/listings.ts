/** What a server lists, as offers. What is no offer is left out. Pure. */
import type { Offer } from "../desk/offer.ts";
import { isRecord } from "../is-record.ts";
import { present, recordIn, textIn, type Fields } from "../wire/record.ts";

/** How each list is asked for, where its items stand, and what they are. */
export const LISTINGS: readonly {
  readonly capability: string;
  readonly method: string;
  readonly items: string;
  readonly read: (item: Fields) => Offer | undefined;
}[] = [
  { capability: "tools", method: "tools/list", items: "tools", read: toolFrom },
  { capability: "prompts", method: "prompts/list", items: "prompts", read: promptFrom },
  { capability: "resources", method: "resources/list", items: "resources", read: resourceFrom },
  {
    capability: "resources",
    method: "resources/templates/list",
    items: "resourceTemplates",
    read: templateFrom,
  },
];

const commonOf = (item: Fields): { readonly title?: string; readonly description?: string } =>
  present({ title: textIn(item, "title"), description: textIn(item, "description") });

function toolFrom(item: Fields): Offer | undefined {
  const name = textIn(item, "name");
  if (name === undefined) return undefined;
  const annotations = recordIn(item, "annotations");
  const title = textIn(item, "title") ?? textIn(annotations, "title");
  return {
    kind: "tool",
    name,
    ...commonOf(item),
    ...(title === undefined ? {} : { title }),
    inputSchema: recordIn(item, "inputSchema"),
    annotations,
  };
}

function promptFrom(item: Fields): Offer | undefined {
  const name = textIn(item, "name");
  if (name === undefined) return undefined;
  const given: readonly unknown[] = Array.isArray(item["arguments"]) ? item["arguments"] : [];
  const parameters = given.flatMap((one) => {
    const argument = isRecord(one) ? textIn(one, "name") : undefined;
    if (!isRecord(one) || argument === undefined) return [];
    const description = textIn(one, "description");
    const required = one["required"] === true;
    return [{ name: argument, required, ...(description === undefined ? {} : { description }) }];
  });
  return { kind: "prompt", name, ...commonOf(item), parameters };
}

function resourceFrom(item: Fields): Offer | undefined {
  const uri = textIn(item, "uri");
  if (uri === undefined) return undefined;
  const mimeType = textIn(item, "mimeType");
  const name = textIn(item, "name") ?? uri;
  return { kind: "resource", name, ...commonOf(item), uri, ...(mimeType === undefined ? {} : { mimeType }) };
}

function templateFrom(item: Fields): Offer | undefined {
  const uriTemplate = textIn(item, "uriTemplate");
  if (uriTemplate === undefined) return undefined;
  const mimeType = textIn(item, "mimeType");
  const name = textIn(item, "name") ?? uriTemplate;
  return {
    kind: "template",
    name,
    ...commonOf(item),
    uriTemplate,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}
