/** Media types of files, by their extensions. Pure. */
import { extension, lookup } from "mime-types";

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
export function extensionOf(type: string): string {
  const bare = type.toLowerCase().replace(/\s*;.*$/, "");
  const [common] = Object.entries(COMMON).find(([, one]) => one === bare) ?? [];
  return `.${common ?? (extension(bare) || (bare.startsWith("text/") ? "txt" : "bin"))}`;
}
