import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/** What people fill in on pages. */
export const FILLED_IN = {
  secret: "open sesame",
  file: { name: "notes.txt", type: "text/plain", path: here },
} as const;

/** What the tools say that were given it. */
export const GIVEN = { secret: '{"answer":"[secret]"}', file: '"name":"notes.txt"' } as const;
