import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/** The values that users enter on pages. */
export const ENTERED = {
  secret: "open sesame",
  file: { name: "notes.txt", type: "text/plain", path: here },
} as const;

/** The results of tools that have received them. */
export const RESULTS = { secret: '{"answer":"[secret]"}', file: '"name":"notes.txt"' } as const;
