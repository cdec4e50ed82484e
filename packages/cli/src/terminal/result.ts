/**
 * The result of a run on stdout: as text, or as exactly one JSON document.
 *
 * If stdout is a terminal, the text is cleaned. Otherwise it is written unchanged, because programs read it.
 */
import { isDeepStrictEqual } from "node:util";
import type { Content, Json, Result } from "@photon/core";
import type { Colors } from "./colors.ts";
import { cleanText, escapeJson } from "./text.ts";

/** A result in the format of MCP. */
export function resultJson({ content, structured, isError }: Result): string {
  const document = {
    content: content.map(blockOf),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
  return jsonText(document);
}

/** One JSON document that is safe to print. */
export const jsonText = (document: object): string => `${escapeJson(JSON.stringify(document, null, 2))}\n`;

interface TextOptions {
  readonly isScreen: boolean;
  readonly colors: Colors;
}

/**
 * The text of a result, for people. A text that is the structured value as JSON is shown as that value; without text,
 * the value is shown. Blocks without text are left out.
 */
export function resultText(
  content: readonly Content[],
  structured: Json | undefined,
  options: TextOptions,
): string {
  const texts = content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && block.text !== undefined ? [block.text] : [];
  });
  if (structured === undefined) return texts.map((text) => plainText(text, options)).join("");
  if (texts.length === 0) return valueText(structured, options);
  return texts
    .map((text) => (isJsonOf(text, structured) ? valueText(structured, options) : plainText(text, options)))
    .join("");
}

function valueText(value: Json, options: TextOptions): string {
  if (typeof value === "string") return plainText(value, options);
  const json = escapeJson(JSON.stringify(value, null, 2));
  return `${json.replaceAll(/^( *)("(?:[^"\\]|\\.)*")(?=: )/gm, (_, space: string, name: string) => space + options.colors.cyan(name))}\n`;
}

/** Whether a text is the value as JSON, with any white space. */
function isJsonOf(text: string, value: Json): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

const plainText = (text: string, { isScreen }: TextOptions): string =>
  withEnd(isScreen ? cleanText(text) : text);

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
