/**
 * Content blocks of results, messages and artifacts: text, image, audio, resource, link; and their parser.
 *
 * `data` is base64 or bytes; the server encodes it.
 */
export type Content = TextContent | ImageContent | AudioContent | ResourceContent | LinkContent;

/** A block of text. */
export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

/** An image, as base64 or bytes. */
export interface ImageContent {
  readonly type: "image";
  readonly data: string | Uint8Array;
  readonly mimeType: string;
}

/** A sound, as base64 or bytes. */
export interface AudioContent {
  readonly type: "audio";
  readonly data: string | Uint8Array;
  readonly mimeType: string;
}

/** A resource, contents included. */
export interface ResourceContent {
  readonly type: "resource";
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly data?: string | Uint8Array;
}

/** A resource that the client may fetch. */
export interface LinkContent {
  readonly type: "link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Parses one block, spelled as here or as in MCP; undefined if the value is not a content block. */
export function parseContent(value: unknown): Content | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  const block: Readonly<Record<string, unknown>> = { ...value };
  switch (block["type"]) {
    case "text":
      return isText(block["text"]) ? { type: "text", text: block["text"] } : undefined;
    case "image":
    case "audio":
      return isData(block["data"]) && isText(block["mimeType"])
        ? { type: block["type"], data: block["data"], mimeType: block["mimeType"] }
        : undefined;
    case "resource":
      return parseResource(block["resource"] ?? block);
    case "link":
    case "resource_link":
      return parseLink(block);
    default:
      return undefined;
  }
}

/** Parses one block, or a list of at least one; undefined if one of them is not a content block. */
export function parseBlocks(value: unknown): Content | readonly Content[] | undefined {
  if (!Array.isArray(value)) return parseContent(value);
  const blocks = value.map(parseContent).filter((block) => block !== undefined);
  return blocks.length > 0 && blocks.length === value.length ? blocks : undefined;
}

function parseResource(value: unknown): ResourceContent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const block: Readonly<Record<string, unknown>> = { ...value };
  const data = block["data"] ?? block["blob"];
  if (!isText(block["uri"]) || (!isText(block["text"]) && !isData(data))) return undefined;
  return {
    type: "resource",
    uri: block["uri"],
    ...pickTexts(block, ["mimeType", "text"]),
    ...(isData(data) ? { data } : {}),
  };
}

function parseLink(block: Readonly<Record<string, unknown>>): LinkContent | undefined {
  if (!isText(block["uri"])) return undefined;
  const name = isText(block["name"]) ? block["name"] : block["uri"];
  return { type: "link", uri: block["uri"], name, ...pickTexts(block, ["title", "description", "mimeType"]) };
}

function pickTexts(
  block: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (isText(block[name]) ? [[name, block[name]]] : [])));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isData(value: unknown): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}
