import type { Content } from "@photon/core";

/** The text blocks of a model's answer, joined. */
export function textIn(content: Content | readonly Content[]): string {
  return [content]
    .flat()
    .map((block) => (block.type === "text" ? block.text : `(${block.type})`))
    .join(" ");
}
