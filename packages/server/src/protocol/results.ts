/** The results of tools, prompts and resources, and their content blocks, per revision. Pure. */
import {
  type Content,
  InvalidOutput,
  type Prompt,
  type PromptMessage,
  parseContent,
  type Resource,
  type Result,
  omitUndefined,
} from "@photon/core";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import { type Features, featuresOf, STATELESS_REVISION } from "./revisions.ts";
import { SERVER_INFO } from "./request-meta.ts";
import type { InputRequest } from "./elicitation.ts";

export function toolResultOf({ content, structured, isError }: Result, features: Features): JsonObject {
  const blocks = content.map((one) => blockOf(one, features));
  const { structuredOutput } = features;
  // A value that the revision does not allow is in the text only.
  const isStructured =
    structuredOutput === "any"
      ? structured !== undefined
      : structuredOutput === "object" && isRecord(structured);
  return {
    content: blocks,
    ...(isStructured ? { structuredContent: structured } : {}),
    ...(isError ? { isError } : {}),
  };
}

/** The result of `prompts/get`. Throws `InvalidOutput` where the author returned something other than messages. */
export function promptResultOf(
  given: unknown,
  prompt: Pick<Prompt, "description" | "name">,
  features: Features,
): JsonObject {
  const { name = "", description } = prompt;
  const messages: readonly unknown[] = Array.isArray(given) ? given : [given];
  return omitUndefined({
    description,
    messages: messages.map((one) => {
      const message = messageOf(one);
      if (message === undefined)
        throw new InvalidOutput(
          `The prompt ${name}`,
          "a value that is not a message; return a text, a block of content, or { role, content }",
        );
      return { role: message.role, content: blockOf(message.content, features) };
    }),
  });
}

function messageOf(given: unknown): PromptMessage | undefined {
  if (typeof given === "string") return { role: "user", content: { type: "text", text: given } };
  const hasRole = isRecord(given) && "role" in given;
  const role = hasRole ? given["role"] : "user";
  const content = parseContent(hasRole ? given["content"] : given);
  return content !== undefined && (role === "user" || role === "assistant") ? { role, content } : undefined;
}

/** The result of `resources/read`. Throws `InvalidOutput` where the author returned neither text nor bytes. */
export function resourceResultOf(
  given: unknown,
  uri: string,
  resource: Pick<Resource, "mimeType">,
): JsonObject {
  const own =
    typeof given === "string" ? { text: given } : given instanceof Uint8Array ? { data: given } : given;
  const { text, data, mimeType = resource.mimeType } = isRecord(own) ? own : {};
  const inside = typeof text === "string" ? { text } : isData(data) ? { blob: base64(data) } : undefined;
  if (inside === undefined || (mimeType !== undefined && typeof mimeType !== "string"))
    throw new InvalidOutput(
      `The resource at ${uri}`,
      "a value that is not a resource; return text, bytes, { text, mimeType } or { data, mimeType }",
    );
  return { contents: [omitUndefined({ uri, mimeType, ...inside })] };
}

function isData(data: unknown): data is string | Uint8Array {
  return typeof data === "string" || data instanceof Uint8Array;
}

/** The server as its clients see it. */
interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
}

/** The result of `initialize`. */
export const initializeResult = (server: ServerInfo, features: Features): JsonObject =>
  omitUndefined({
    protocolVersion: features.revision,
    capabilities: serverCapabilities(features),
    serverInfo: serverInfo(server, features),
    instructions: server.instructions,
  });

/** The result of `server/discover`. */
export const discoverResult = ({ instructions }: ServerInfo): JsonObject =>
  omitUndefined({
    supportedVersions: [STATELESS_REVISION],
    capabilities: serverCapabilities(featuresOf(STATELESS_REVISION)),
    instructions,
  });

const serverCapabilities = ({ completionsCapability }: Features): JsonObject => ({
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  ...(completionsCapability ? { completions: {} } : {}),
});

const serverInfo = ({ name, version, title }: ServerInfo, { titles }: Features): JsonObject =>
  omitUndefined({ name, version, title: titles ? title : undefined });

/** The `resultType` of a result with questions. */
const INPUT_REQUIRED = "input_required";

/** The cache lifetime of results other than lists, which may change at any time. */
const NO_CACHE_MS = 0;

/** Adds what every result of 2026-07-28 has: `resultType` ("complete" by default) and the server. */
export function stampOf(server: ServerInfo): (result: JsonObject) => JsonObject {
  const stamp = { [SERVER_INFO]: serverInfo(server, featuresOf(STATELESS_REVISION)) };
  return (result) => {
    const meta = result["_meta"];
    const whole = typeof meta === "object" ? { ...meta, ...stamp } : stamp;
    return { resultType: "complete", ...result, _meta: whole };
  };
}

/** Ends a request with questions. The client calls again with the answers and the state. */
export function inputRequiredResult(
  inputRequests: { readonly [key: string]: InputRequest },
  requestState: string,
): JsonObject {
  return { resultType: INPUT_REQUIRED, inputRequests, requestState };
}

/** The server stops before it has an answer. The client sends the request again with the state, and any process continues it. */
export const retryResult = (requestState: string): JsonObject => ({
  resultType: INPUT_REQUIRED,
  requestState,
});

/** The result of a method, with the cache lifetime and scope of one that clients may cache. */
export function withCacheLifetime(
  method: string,
  result: JsonObject,
  { cacheFor }: { readonly cacheFor: number },
): JsonObject {
  if (method === "resources/read" && result["resultType"] !== INPUT_REQUIRED)
    return { ...result, ttlMs: NO_CACHE_MS, cacheScope: "private" };
  if (method === "server/discover" || method.endsWith("/list"))
    return { cacheScope: "public", ...result, ttlMs: cacheFor };
  return result;
}

type Block = { readonly type: string; readonly [field: string]: unknown };

export function blockOf(content: Content, features: Features): Block {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
      return { type: "image", data: base64(content.data), mimeType: content.mimeType };
    case "audio":
      return features.audioContent
        ? { type: "audio", data: base64(content.data), mimeType: content.mimeType }
        : embedded("photon:audio", { mimeType: content.mimeType, blob: base64(content.data) });
    case "resource": {
      const { uri, mimeType, text, data } = content;
      const inside = data === undefined ? { text: text ?? "" } : { blob: base64(data) };
      return embedded(uri, mimeType === undefined ? inside : { mimeType, ...inside });
    }
    case "link": {
      const { type: _, ...link } = content;
      return features.resourceLinks
        ? { type: "resource_link", ...link }
        : { type: "text", text: `${content.name}: ${content.uri}` };
    }
    default:
      return content satisfies never;
  }
}

function base64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : Buffer.from(data).toString("base64");
}

function embedded(uri: string, inside: JsonObject): Block {
  return { type: "resource", resource: { uri, ...inside } };
}
