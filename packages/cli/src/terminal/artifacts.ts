/** Artifacts of a tool: saved into the folder of `--out`, or described. Media types of files. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Content, describeSize } from "@photon/core";
import { extension, lookup } from "mime-types";
import { cleanText, oneLine } from "./text.ts";

export class Artifacts {
  readonly #folder: string | undefined;
  #count = 0;

  constructor(out: string | undefined, cwd: string) {
    this.#folder = out === undefined ? undefined : resolve(cwd, out);
  }

  /** Saves an artifact; returns the lines that describe it: its text, or its type, size and path. */
  async saveOrDescribe(content: Content): Promise<readonly string[]> {
    this.#count += 1;
    if (content.type === "link")
      return [`${oneLine(content.title ?? content.name)}: ${oneLine(content.uri)}`];
    const file = bytesOf(content);
    const description = `${oneLine(file.type)}, ${describeSize(file.bytes.length)}`;
    if (this.#folder !== undefined)
      return [
        `Saved ${await this.#save(this.#folder, nameOf(content, this.#count), file.bytes)} (${description})`,
      ];
    if (file.text !== undefined) return cleanText(file.text).split("\n");
    return [`${description} (--out folder saves it)`];
  }

  /** Writes a new file, and never overwrites one. */
  async #save(folder: string, name: string, bytes: Uint8Array): Promise<string> {
    await mkdir(folder, { recursive: true });
    for (let copy = 1; ; copy++) {
      const path = join(folder, copy === 1 ? name : name.replace(/(?=\.[^.]*$)|$/, `-${copy}`));
      try {
        await writeFile(path, bytes, { flag: "wx" });
        return path;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
    }
  }
}

interface Bytes {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** If it is text. */
  readonly text?: string;
}

/** The bytes of a block of content. */
function bytesOf(content: Exclude<Content, { type: "link" }>): Bytes {
  if (content.type === "text")
    return { type: "text/plain", bytes: Buffer.from(content.text), text: content.text };
  const { data } = content;
  if (data === undefined) {
    const text = content.type === "resource" ? (content.text ?? "") : "";
    return { type: content.mimeType ?? "text/plain", bytes: Buffer.from(text), text };
  }
  const bytes = typeof data === "string" ? Buffer.from(data, "base64") : data;
  return { type: content.mimeType ?? "application/octet-stream", bytes };
}

/** The name of the file: the last part of the URI, without characters that could make it a path. */
function nameOf(content: Exclude<Content, { type: "link" }>, ordinal: number): string {
  const given = content.type === "resource" ? lastPartOf(content.uri) : "";
  const safe = oneLine(given)
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "");
  if (safe !== "") return safe.slice(0, 200);
  const { type } = bytesOf(content);
  return `artifact-${ordinal}${extensionOf(type)}`;
}

function lastPartOf(uri: string): string {
  const path = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?([^?#]*)/i.exec(uri)?.[1] ?? uri;
  try {
    return basename(decodeURIComponent(path));
  } catch {
    return basename(path);
  }
}

/** Where mime-types has a type or an extension that few programs use: `.mpga` for audio/mpeg. */
const COMMON: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  flac: "audio/flac",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/** The media type of a file by its extension. */
export function mediaTypeOf(name: string): string {
  const [, ending = ""] = /\.([^.]+)$/.exec(name.toLowerCase()) ?? [];
  const common = Object.hasOwn(COMMON, ending) ? COMMON[ending] : undefined;
  return common ?? (lookup(ending) || "application/octet-stream");
}

/** The extension of a file by its media type: ".png". */
function extensionOf(type: string): string {
  const bare = type.toLowerCase().replace(/\s*;.*$/, "");
  const [common] = Object.entries(COMMON).find(([, one]) => one === bare) ?? [];
  return `.${common ?? (extension(bare) || (bare.startsWith("text/") ? "txt" : "bin"))}`;
}
