/**
 * What a run ended with, on stdout: pretty, or as exactly one JSON document.
 *
 * Where stdout is a terminal, what the tool said is cleaned first. Where it is
 * not, text goes out as it is: it is somebody's data.
 */
import type { Content, Json, Result } from "@photon/core";
import { cleanText } from "./clean-text.ts";
import type { Paint } from "./paint.ts";

/** A result as MCP spells it, whatever its content is made of. */
export function resultJson({ content, structured, isError }: Result): string {
  const document = {
    content: content.map(blockOf),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
  return jsonText(document);
}

/** One JSON document, as it can be printed anywhere. */
export const jsonText = (document: object): string => `${escaped(JSON.stringify(document, null, 2))}\n`;

/** The text of a result; nothing where it has none. Blocks that are no text are for somebody else to show. */
export function resultText(
  content: readonly Content[],
  structured: Json | undefined,
  { isScreen, paint }: { readonly isScreen: boolean; readonly paint: Paint },
): string {
  if (structured !== undefined) {
    if (typeof structured === "string") return withEnd(isScreen ? cleanText(structured) : structured);
    const json = escaped(JSON.stringify(structured, null, 2));
    return `${json.replaceAll(/^( *)("(?:[^"\\]|\\.)*")(?=: )/gm, (_, space: string, name: string) => space + paint.cyan(name))}\n`;
  }
  const texts = content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && block.text !== undefined ? [block.text] : [];
  });
  return texts.map((text) => withEnd(isScreen ? cleanText(text) : text)).join("");
}

const withEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** JSON says control characters as escapes, but for these, which some terminals act upon. */
const escaped = (json: string): string =>
  json.replaceAll(
    /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function blockOf(content: Content): object {
  switch (content.type) {
    case "text":
      return content;
    case "image":
    case "audio":
      return { type: content.type, data: base64(content.data), mimeType: content.mimeType };
    case "resource": {
      const { uri, mimeType, text, data } = content;
      const inside = data === undefined ? { text: text ?? "" } : { blob: base64(data) };
      return {
        type: "resource",
        resource: { uri, ...(mimeType === undefined ? {} : { mimeType }), ...inside },
      };
    }
    case "link": {
      const { type: _, ...link } = content;
      return { type: "resource_link", ...link };
    }
    default:
      return content satisfies never;
  }
}

const base64 = (data: string | Uint8Array): string =>
  typeof data === "string" ? data : Buffer.from(data).toString("base64");
