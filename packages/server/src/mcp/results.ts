/** What a call, a prompt or a resource gives, as MCP spells it. Pure. */
import {
  InvalidOutput,
  readContent,
  type Prompt,
  type PromptMessage,
  type Resource,
  type Result,
} from "@photon/core";
import { present } from "../util/omit-undefined.ts";
import { isRecord, type Wire } from "../jsonrpc/messages.ts";
import { base64, blockOf } from "./content.ts";
import type { Features } from "./revisions.ts";

export function toolResultOf({ content, structured, isError }: Result, features: Features): Wire {
  const blocks = content.map((one) => blockOf(one, features));
  // Up to 2025-11-25 structured content is an object; anything else is in the text.
  const isStructured = features.since2607
    ? structured !== undefined
    : features.since2506 && isRecord(structured);
  return {
    content: blocks,
    ...(isStructured ? { structuredContent: structured } : {}),
    ...(isError ? { isError } : {}),
  };
}

/** The messages of a prompt, if they are some: what an author returns is not always what they said. */
export function promptResultOf(
  given: unknown,
  prompt: Pick<Prompt, "description" | "name">,
  features: Features,
): Wire {
  const { name = "", description } = prompt;
  const messages: readonly unknown[] = Array.isArray(given) ? given : [given];
  return present({
    description,
    messages: messages.map((one) => {
      const message = messageOf(one);
      if (message === undefined)
        throw new InvalidOutput(
          `The prompt ${name}`,
          "what is no message; a message is a text, a block of content, or { role, content }",
        );
      return { role: message.role, content: blockOf(message.content, features) };
    }),
  });
}

function messageOf(given: unknown): PromptMessage | undefined {
  if (typeof given === "string") return { role: "user", content: { type: "text", text: given } };
  const hasRole = isRecord(given) && "role" in given;
  const role = hasRole ? given["role"] : "user";
  const content = readContent(hasRole ? given["content"] : given);
  return content !== undefined && (role === "user" || role === "assistant") ? { role, content } : undefined;
}

/** What is in a resource, if it is text or bytes. */
export function resourceResultOf(given: unknown, uri: string, resource: Pick<Resource, "mimeType">): Wire {
  const own =
    typeof given === "string" ? { text: given } : given instanceof Uint8Array ? { data: given } : given;
  const { text, data, mimeType = resource.mimeType } = isRecord(own) ? own : {};
  const inside = typeof text === "string" ? { text } : isData(data) ? { blob: base64(data) } : undefined;
  if (inside === undefined || (mimeType !== undefined && typeof mimeType !== "string"))
    throw new InvalidOutput(
      `The resource at ${uri}`,
      "what it cannot hold; a resource is text, bytes, { text, mimeType } or { data, mimeType }",
    );
  return { contents: [present({ uri, mimeType, ...inside })] };
}

function isData(data: unknown): data is string | Uint8Array {
  return typeof data === "string" || data instanceof Uint8Array;
}
