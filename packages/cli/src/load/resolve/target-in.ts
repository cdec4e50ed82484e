/**
 * Reads the `exports` and `imports` of a package.json as Node does for `import`.
 *
 * A copy of Node's algorithm, because Node 20 cannot be asked how it would
 * resolve a name for another file than the one that asks.
 */
import { isRecord } from "../is-record.ts";

/** What `request` ("." or "./sub" or "#name") leads to in such a map; nothing where the map has no answer. */
export function targetIn(map: unknown, request: string): string | undefined {
  const entries = isSugar(map) ? { ".": map } : map;
  if (!isRecord(entries)) return undefined;
  if (Object.hasOwn(entries, request) && !request.includes("*") && !request.endsWith("/"))
    return pick(entries[request], "") ?? undefined;
  const pattern = bestPattern(Object.keys(entries), request);
  if (pattern === undefined) return undefined;
  const [head = "", tail = ""] = pattern.split("*");
  const matched = request.slice(head.length, request.length - tail.length);
  return pick(entries[pattern], matched) ?? undefined;
}

/** `exports` that speak of the package itself only. */
function isSugar(map: unknown): boolean {
  if (typeof map === "string" || Array.isArray(map)) return true;
  return isRecord(map) && Object.keys(map).some((key) => !key.startsWith(".") && !key.startsWith("#"));
}

/** The pattern that fits with the longest text before its star. */
function bestPattern(patterns: readonly string[], request: string): string | undefined {
  const fitting = patterns.filter((pattern) => {
    const [head = "", tail, ...more] = pattern.split("*");
    if (tail === undefined || more.length > 0) return false;
    return request.startsWith(head) && request.endsWith(tail) && request.length >= pattern.length;
  });
  return fitting.toSorted((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length)[0];
}

/** Follows the conditions; `null` forbids, nothing goes on looking. */
function pick(target: unknown, matched: string): string | null | undefined {
  if (typeof target === "string") return target.replaceAll("*", () => matched);
  if (target === null) return null;
  if (Array.isArray(target)) {
    const picked = target.map((item) => pick(item, matched));
    return picked.find((item) => typeof item === "string") ?? picked.find((item) => item === null);
  }
  if (!isRecord(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    if (condition !== "default" && !conditions().has(condition)) continue;
    const picked = pick(inner, matched);
    if (picked !== undefined) return picked;
  }
  return undefined;
}

let known: ReadonlySet<string> | undefined;

/** The conditions this Node imports with: its own, and those it was started with. */
function conditions(): ReadonlySet<string> {
  // Not in the types of Node 20: whether ES modules can be required.
  const { require_module: canRequire } = process.features as { readonly require_module?: boolean };
  known ??= new Set([
    "node",
    "import",
    ...(canRequire === true ? ["module-sync"] : []),
    "node-addons",
    ...givenConditions([...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/)]),
  ]);
  return known;
}

function givenConditions(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const inline = /^(?:-C|--conditions)=(.+)$/.exec(arg)?.[1];
    if (inline !== undefined) return [inline];
    return arg === "-C" || arg === "--conditions" ? args.slice(index + 1, index + 2) : [];
  });
}
