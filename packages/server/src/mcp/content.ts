/** Blocks of content as MCP spells them, as far as a revision knows them. Pure. */
import type { Content } from "@photon/core";
import type { Wire } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

export type Block = { readonly type: string; readonly [field: string]: unknown };

export function blockOf(content: Content, features: Features): Block {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
      return { type: "image", data: base64(content.data), mimeType: content.mimeType };
    case "audio":
      return features.since2503
        ? { type: "audio", data: base64(content.data), mimeType: content.mimeType }
        : embedded("photon:audio", { mimeType: content.mimeType, blob: base64(content.data) });
    case "resource": {
      const { uri, mimeType, text, data } = content;
      const inside = data === undefined ? { text: text ?? "" } : { blob: base64(data) };
      return embedded(uri, mimeType === undefined ? inside : { mimeType, ...inside });
    }
    case "link": {
      const { type: _, ...link } = content;
      return features.since2506
        ? { type: "resource_link", ...link }
        : { type: "text", text: `${content.name}: ${content.uri}` };
    }
    default:
      return content satisfies never;
  }
}

export function base64(data: string | Uint8Array): string {
  return typeof data === "string" ? data : Buffer.from(data).toString("base64");
}

function embedded(uri: string, inside: Wire): Block {
  return { type: "resource", resource: { uri, ...inside } };
}
