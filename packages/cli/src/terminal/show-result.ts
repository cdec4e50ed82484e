/**
 * What a run ended with, on stdout: pretty, or as exactly one JSON document.
 *
 * Where stdout is a terminal, what the tool said is cleaned first. Where it is
 * not, text goes out as it is: it is somebody's data.
 */
import { isDeepStrictEqual } from "node:util";
import type { Content, Json, Result } from "@photon/core";
import { cleanText, escapeJson } from "./clean-text.ts";
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
export const jsonText = (document: object): string => `${escapeJson(JSON.stringify(document, null, 2))}\n`;

interface Showing {
  readonly isScreen: boolean;
  readonly paint: Paint;
}

/**
 * The text of a result, for people. A text that is nothing but the structured value is shown as that value; without
 * any text the value is shown. Blocks that are no text are for somebody else to show.
 */
export function resultText(
  content: readonly Content[],
  structured: Json | undefined,
  showing: Showing,
): string {
  const texts = content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && block.text !== undefined ? [block.text] : [];
  });
  if (structured === undefined) return texts.map((text) => plainText(text, showing)).join("");
  if (texts.length === 0) return valueText(structured, showing);
  return texts
    .map((text) => (isSame(text, structured) ? valueText(structured, showing) : plainText(text, showing)))
    .join("");
}

function valueText(value: Json, showing: Showing): string {
  if (typeof value === "string") return plainText(value, showing);
  const json = escapeJson(JSON.stringify(value, null, 2));
  return `${json.replaceAll(/^( *)("(?:[^"\\]|\\.)*")(?=: )/gm, (_, space: string, name: string) => space + showing.paint.cyan(name))}\n`;
}

/** Whether a text is the value as JSON, however it is written. */
function isSame(text: string, value: Json): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

const plainText = (text: string, { isScreen }: Showing): string => withEnd(isScreen ? cleanText(text) : text);

const withEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

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
