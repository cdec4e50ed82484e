import type { Content } from "@photon/core";

/** What a model said, as one text. */
export function textIn(content: Content | readonly Content[]): string {
  return [content]
    .flat()
    .map((block) => (block.type === "text" ? block.text : `(${block.type})`))
    .join(" ");
}
