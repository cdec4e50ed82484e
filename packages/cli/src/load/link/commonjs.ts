/**
 * CommonJS beside the tools. Node loads it as it is, but only once.
 *
 * A file that changed is required anew by us, and what it gives is handed to a
 * small module that stands for it: Node's own import of it would be of no use,
 * as it knows the files that are required by their names.
 */
import { createRequire } from "node:module";
import { dirname, extname, resolve } from "node:path";
import { isRecord } from "../is-record.ts";
import { isFile, realPath } from "../on-disk.ts";

// Made when it is needed, which it is by few.
const ownRequire = (): NodeJS.Require => createRequire(import.meta.url);
const REQUIRE = /\brequire\s*\(\s*["'](\.[^"']*)["']\s*\)/g;

/** What changed files gave, by their paths and how often they have changed. */
const given = new Map<string, unknown>();

/** Whether a file that is no module may be CommonJS. */
export const isCommonJs = (path: string): boolean => [".js", ".cjs"].includes(extname(path));

/** The files beside it that a CommonJS file requires. */
export function requiredIn(path: string, source: string): readonly string[] {
  if (!isCommonJs(path)) return [];
  return [...source.matchAll(REQUIRE)].flatMap(([, specifier = ""]) => {
    const exact = resolve(dirname(path), specifier);
    const found = ["", ".js", ".json", "/index.js"].map((ending) => exact + ending).find(isFile);
    return found === undefined ? [] : [realPath(found)];
  });
}

/** Lets Node forget a file, so that the next `require` of it reads it again. */
export function forget(path: string): void {
  // The cache is one object, whoever asks for it.
  Reflect.deleteProperty(ownRequire().cache, path);
}

/** Requires a file that changed; `key` is what it gave is known by from now on. Returns the names in it. */
export function requireAnew(path: string, key: string): readonly string[] {
  const value: unknown = ownRequire()(path);
  given.set(key, value);
  const isNamed = isRecord(value) || typeof value === "function";
  return isNamed ? Object.keys(value) : [];
}

/** What was required under this key. */
export const requiredAs = (key: string): unknown => given.get(key);
