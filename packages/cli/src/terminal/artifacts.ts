/** What a tool made on the way: saved into a folder, or shown as far as a terminal can. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Content, describeSize } from "@photon/core";
import { cleanText, oneLine } from "./clean-text.ts";
import { endingOf } from "./media.ts";

/** Where artifacts go; nothing: they are only told of. */
export class Artifacts {
  readonly #folder: string | undefined;
  #count = 0;

  constructor(out: string | undefined, cwd: string) {
    this.#folder = out === undefined ? undefined : resolve(cwd, out);
  }

  /** The lines that tell of one: its text, or its type and size, and where it was saved. */
  async keep(content: Content): Promise<readonly string[]> {
    this.#count += 1;
    if (content.type === "link")
      return [`${oneLine(content.title ?? content.name)}: ${oneLine(content.uri)}`];
    const made = bytesOf(content);
    const what = `${oneLine(made.type)}, ${describeSize(made.bytes.length)}`;
    if (this.#folder !== undefined)
      return [`Saved ${await this.#save(this.#folder, nameOf(content, this.#count), made.bytes)} (${what})`];
    if (made.text !== undefined) return cleanText(made.text).split("\n");
    return [`${what} (--out folder saves it)`];
  }

  /** Writes a new file; one that is there already stays. */
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

interface Made {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Its text, where it is text. */
  readonly text?: string;
}

/** What is in a block of content, as bytes. */
function bytesOf(content: Exclude<Content, { type: "link" }>): Made {
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

/** A name for a file: the last part of its address, as far as it is one. Never a path. */
function nameOf(content: Exclude<Content, { type: "link" }>, ordinal: number): string {
  const given = content.type === "resource" ? lastPartOf(content.uri) : "";
  const safe = oneLine(given)
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "");
  if (safe !== "") return safe.slice(0, 200);
  const { type } = bytesOf(content);
  return `artifact-${ordinal}${endingOf(type)}`;
}

function lastPartOf(uri: string): string {
  const path = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?([^?#]*)/i.exec(uri)?.[1] ?? uri;
  try {
    return basename(decodeURIComponent(path));
  } catch {
    return basename(path);
  }
}
