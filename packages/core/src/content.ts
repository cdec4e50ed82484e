/**
 * What results are made of: blocks of content, neutral of any protocol.
 *
 * `data` is base64 or bytes; hosts encode it as their wire wants it.
 */
export type Content = TextContent | ImageContent | AudioContent | ResourceContent | LinkContent;

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent {
  readonly type: "image";
  readonly data: string | Uint8Array;
  readonly mimeType: string;
}

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

/** A resource to be fetched by whoever wants it. */
export interface LinkContent {
  readonly type: "link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Reads one block, in our spelling or in MCP's; nothing where it is none. */
export function readContent(value: unknown): Content | undefined {
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
      return readResource(block["resource"] ?? block);
    case "link":
    case "resource_link":
      return readLink(block);
    default:
      return undefined;
  }
}

function readResource(value: unknown): ResourceContent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const block: Readonly<Record<string, unknown>> = { ...value };
  const data = block["data"] ?? block["blob"];
  if (!isText(block["uri"]) || (!isText(block["text"]) && !isData(data))) return undefined;
  return {
    type: "resource",
    uri: block["uri"],
    ...texts(block, ["mimeType", "text"]),
    ...(isData(data) ? { data } : {}),
  };
}

function readLink(block: Readonly<Record<string, unknown>>): LinkContent | undefined {
  if (!isText(block["uri"])) return undefined;
  const name = isText(block["name"]) ? block["name"] : block["uri"];
  return { type: "link", uri: block["uri"], name, ...texts(block, ["title", "description", "mimeType"]) };
}

function texts(block: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (isText(block[name]) ? [[name, block[name]]] : [])));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isData(value: unknown): value is string | Uint8Array {
  return typeof value === "string" || value instanceof Uint8Array;
}
