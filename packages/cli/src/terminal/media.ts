/** Names of files, types of media, sizes: what a terminal has to know of them. Pure. */

const TYPES: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bin: "application/octet-stream",
  bmp: "image/bmp",
  css: "text/css",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  html: "text/html",
  ico: "image/vnd.microsoft.icon",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tiff: "image/tiff",
  txt: "text/plain",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  zip: "application/zip",
};

/** Other endings for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  htm: "html",
  jpeg: "jpg",
  mjs: "js",
  tif: "tiff",
  yml: "yaml",
};

/** The type of a file by its ending. */
export function typeOf(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const known = Object.hasOwn(ALIASES, ending) ? (ALIASES[ending] ?? ending) : ending;
  return (Object.hasOwn(TYPES, known) ? TYPES[known] : undefined) ?? "application/octet-stream";
}

/** The ending of a file by its type: ".png". */
export function endingOf(type: string): string {
  const bare = type.toLowerCase().replace(/\s*;.*$/, "");
  const ending = Object.entries(TYPES).find(([, one]) => one === bare)?.[0];
  return `.${ending ?? (bare.startsWith("text/") ? "txt" : "bin")}`;
}
