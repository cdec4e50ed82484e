/**
 * From an import in one file to what it means.
 *
 * Where Node has an answer, ours is the same. Beyond that, relative imports may
 * leave their ending out or say `.js` for a `.ts`, and `@photon/…` is found
 * where nothing is installed: our own copy, which the tool then shares with us.
 */
import { createRequire, isBuiltin } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isCompiled } from "../find/file-kinds.ts";
import { isFile, realPath } from "../on-disk.ts";
import { resolvePackage } from "./resolve-package.ts";

export type Target =
  /** Left to Node as it is: its own modules, and addresses. */
  | { readonly to: "node"; readonly address: string; readonly isPlain: boolean }
  /** A file that is looked into: beside the tool, or TypeScript of a package. */
  | { readonly to: "file"; readonly path: string; readonly isPlain: boolean }
  | { readonly to: "nothing"; readonly problem: string; readonly lookedFor: readonly string[] };

/** What `specifier` means in the file `from`. `isPlain`: Node itself would come to the same. */
export function resolveImport(specifier: string, from: string): Target {
  if (isBuiltin(specifier)) return { to: "node", address: specifier, isPlain: true };
  if (/^\.{0,2}\/|^\.{1,2}$|^file:/.test(specifier)) return resolveRelative(specifier, from);
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(specifier)) return { to: "node", address: specifier, isPlain: true };
  const resolved = resolvePackage(specifier, from);
  if ("path" in resolved) return packageFile(resolved.path);
  const { problem, missing } = resolved;
  const ours = missing === undefined ? undefined : ownCopy(specifier);
  if (ours !== undefined && ours.to !== "nothing") return { ...ours, isPlain: false };
  return { to: "nothing", problem, lookedFor: missing === undefined ? [] : [missing] };
}

/** What a package gives is Node's business, unless Node cannot load it. */
function packageFile(found: string): Target {
  if (!isFile(found)) return { to: "nothing", problem: `there is no file ${found}`, lookedFor: [found] };
  const path = realPath(found);
  if (isCompiled(path)) return { to: "file", path, isPlain: false };
  return { to: "node", address: pathToFileURL(path).href, isPlain: true };
}

function ownCopy(specifier: string): Target | undefined {
  if (!specifier.startsWith("@photon/")) return undefined;
  try {
    return packageFile(createRequire(import.meta.url).resolve(specifier));
  } catch {
    return undefined;
  }
}

function resolveRelative(specifier: string, from: string): Target {
  const url = new URL(specifier, pathToFileURL(from));
  // Somebody's own addition to the address: for another loader than this one.
  if (url.search !== "" || url.hash !== "") return { to: "node", address: url.href, isPlain: false };
  const exact = fileURLToPath(url);
  const lookedFor = candidatesFor(exact, isCompiled(from));
  const path = lookedFor.find(isFile);
  return path === undefined
    ? { to: "nothing", problem: `there is no file ${exact}`, lookedFor }
    : { to: "file", path: realPath(path), isPlain: path === exact };
}

const TWINS: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".jsx": [".tsx"],
};
const ENDINGS = [".ts", ".mts", ".tsx", ".js", ".mjs"];

/** The files a relative import may mean, the likeliest first. */
export function candidatesFor(path: string, isFromTypeScript: boolean): readonly string[] {
  const ending = extname(path);
  const twins = (TWINS[ending] ?? []).map((twin) => path.slice(0, -ending.length) + twin);
  // In TypeScript `./x.js` is what `x.ts` will be built to, so that a stale build is not what is meant.
  if (twins.length > 0) return isFromTypeScript ? [...twins, path] : [path, ...twins];
  if (ENDINGS.includes(ending)) return [path];
  return [path, ...ENDINGS.map((more) => path + more), ...ENDINGS.map((more) => join(path, `index${more}`))];
}
