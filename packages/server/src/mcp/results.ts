/** What a call, a prompt or a resource gives, as MCP spells it. Pure. */
import type { Content, PromptMessage, PromptResult, Resource, ResourceResult, Result } from "@photon/core";
import { isRecord } from "../rpc/message.ts";
import { base64, blockOf } from "./content.ts";
import type { Features } from "./revisions.ts";

type Wire = { readonly [field: string]: unknown };

export function toolResultOf({ content, structured, isError }: Result, features: Features): Wire {
  const blocks = content.map((one) => blockOf(one, features));
  // Up to 2025-11-25 structured content is an object; anything else is in the text.
  const isStructured = features.since2506 && isRecord(structured);
  return {
    content: blocks,
    ...(isStructured ? { structuredContent: structured } : {}),
    ...(isError ? { isError } : {}),
  };
}

export function promptResultOf(
  given: PromptResult,
  description: string | undefined,
  features: Features,
): Wire {
  const messages = (Array.isArray(given) ? given : [given]) as readonly (string | Content | PromptMessage)[];
  return {
    ...(description === undefined ? {} : { description }),
    messages: messages.map((one) => {
      const { role, content } = messageOf(one);
      return { role, content: blockOf(content, features) };
    }),
  };
}

function messageOf(given: string | Content | PromptMessage): PromptMessage {
  if (typeof given === "string") return { role: "user", content: { type: "text", text: given } };
  return "role" in given ? given : { role: "user", content: given };
}

export function resourceResultOf(given: ResourceResult, uri: string, resource: Resource<never>): Wire {
  const own =
    typeof given === "string" ? { text: given } : given instanceof Uint8Array ? { data: given } : given;
  const mimeType = ("mimeType" in own ? own.mimeType : undefined) ?? resource.mimeType;
  const inside = "text" in own ? { text: own.text } : { blob: base64(own.data) };
  return { contents: [{ uri, ...(mimeType === undefined ? {} : { mimeType }), ...inside }] };
}
