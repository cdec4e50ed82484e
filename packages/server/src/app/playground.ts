/**
 * The playground: the built files of the package `@photon/playground`.
 *
 *   1. They are read once and found by their paths: the path of a request is never used as the path of a file.
 *   2. They contain nothing of a server, so they need no authentication; the page calls the server like any other client.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, sep } from "node:path";
import { PlaygroundMissing } from "../errors.ts";

/** Answers a request for a file, by its path below the page; returns whether there is one. */
export type Playground = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;

interface File {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

type Resolve = (name: string) => string;

const PACKAGE = "@photon/playground";
const resolveFromHere: Resolve = (name) => createRequire(import.meta.url).resolve(name);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page may load from its own origin only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** `resolve` finds the package, by default as Node does from this module. */
export async function readPlayground(resolve: Resolve = resolveFromHere): Promise<Playground> {
  const files = await readFiles(join(packageFolder(resolve), "dist"));
  return (path, request, response) => {
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined) return false;
    sendFile(file, request, response);
    return true;
  };
}

function packageFolder(resolve: Resolve): string {
  try {
    return dirname(resolve(`${PACKAGE}/package.json`));
  } catch (cause) {
    throw new PlaygroundMissing(`install ${PACKAGE}`, { cause });
  }
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const problem = isMissing ? "was not built" : `cannot be read (${String(cause)})`;
    throw new PlaygroundMissing(`${PACKAGE} ${problem}`, { cause });
  });
  const known = names.filter((name) => extname(name) in TYPES);
  if (!known.includes("index.html")) throw new PlaygroundMissing(`${PACKAGE} was not built`);
  const files = known.map(async (name): Promise<[string, File]> => {
    const path = `/${name.split(sep).join("/")}`;
    return [path, fileOf(path, await readFile(join(folder, name)))];
  });
  return new Map(await Promise.all(files));
}

function fileOf(path: string, body: Buffer): File {
  const digest = createHash("sha256").update(body).digest("base64url");
  // Vite names these files by a digest of their content.
  const isImmutable = path.startsWith("/assets/");
  return {
    body,
    headers: {
      ...HEADERS,
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      etag: `"${digest}"`,
    },
  };
}

function sendFile({ body, headers }: File, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers["if-none-match"] === headers["etag"]) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
