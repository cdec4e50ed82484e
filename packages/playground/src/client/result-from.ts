/** What came of a call, as the page shows it, whichever revision spelled it. What it does not know it shows as it is. Pure. */
import type { Content, Result } from "../desk/run.ts";
import { isRecord } from "../is-record.ts";
import { textIn, type Fields } from "../wire/record.ts";

export function resultFrom(method: string, result: Fields): Result {
  switch (method) {
    case "tools/call":
      return {
        isError: result["isError"] === true,
        content: listIn(result, "content").map((block) => contentFrom(block)),
        ...("structuredContent" in result ? { structured: result["structuredContent"] } : {}),
      };
    case "prompts/get":
      return { isError: false, content: listIn(result, "messages").map(messageFrom) };
    default:
      return { isError: false, content: listIn(result, "contents").map((inside) => resourceFrom(inside)) };
  }
}

/** What a tool says in words, for one line. */
export function sentenceOf({ content }: Result): string {
  const [first] = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return first === undefined ? "The tool says that it failed." : first.slice(0, 500);
}

function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

function messageFrom(message: unknown): Content {
  if (!isRecord(message)) return { type: "other", value: message };
  return contentFrom(message["content"], textIn(message, "role"));
}

function contentFrom(block: unknown, role?: string): Content {
  const by = role === undefined ? {} : { role };
  if (!isRecord(block)) return { type: "other", value: block };
  const { type, text, data, mimeType, uri, name, description } = block;
  if (type === "text" && typeof text === "string") return { type, text, ...by };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType, ...by };
  if (type === "resource") return resourceFrom(block["resource"], role);
  if (type === "resource_link" && typeof uri === "string")
    return {
      type: "link",
      uri,
      name: typeof name === "string" ? name : uri,
      ...(typeof description === "string" ? { description } : {}),
    };
  return { type: "other", value: block };
}

function resourceFrom(inside: unknown, role?: string): Content {
  if (!isRecord(inside) || typeof inside["uri"] !== "string") return { type: "other", value: inside };
  const { uri, mimeType, text, blob } = inside;
  return {
    type: "resource",
    uri,
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(typeof text === "string" ? { text } : {}),
    ...(typeof blob === "string" ? { blob } : {}),
    ...(role === undefined ? {} : { role }),
  };
}
