/**
 * The playground: the built files of a package of its own, served as they are.
 *
 * They are read once, and known by their paths: no path of a request ever becomes one of a file. Nothing of a server is
 * in them, so they need no authentication; the page then calls the server like any other client.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, sep } from "node:path";
import { PlaygroundMissing } from "../errors.ts";

/** Answers a request for one of the files, by its path below where the page is; says whether there is one. */
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

/** What the page may do: nothing that is not from here. */
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

/** `resolve` finds the package, as Node does it from here. */
export async function readPlayground(resolve: Resolve = resolveFromHere): Promise<Playground> {
  const files = await filesIn(join(packageFolder(resolve), "dist"));
  return (path, request, response) => {
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined) return false;
    answer(file, request, response);
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

async function filesIn(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    const isThere = !(cause instanceof Error && "code" in cause && cause.code === "ENOENT");
    throw new PlaygroundMissing(
      `${PACKAGE} ${isThere ? `cannot be read (${String(cause)})` : "was not built"}`,
      {
        cause,
      },
    );
  });
  const known = names.filter((name) => extname(name) in TYPES);
  if (!known.includes("index.html")) throw new PlaygroundMissing(`${PACKAGE} was not built`);
  const read = known.map(async (name): Promise<[string, File]> => {
    const path = `/${name.split(sep).join("/")}`;
    return [path, fileOf(path, await readFile(join(folder, name)))];
  });
  return new Map(await Promise.all(read));
}

function fileOf(path: string, body: Buffer): File {
  const digest = createHash("sha256").update(body).digest("base64url");
  // The names of what Vite builds change with what is in them.
  const isForGood = path.startsWith("/assets/");
  return {
    body,
    headers: {
      ...HEADERS,
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": isForGood ? "public, max-age=31536000, immutable" : "no-cache",
      etag: `"${digest}"`,
    },
  };
}

function answer({ body, headers }: File, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers["if-none-match"] === headers["etag"]) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
