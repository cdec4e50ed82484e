/** Refuses a file that plainly makes an effect without yielding it. */
import { cannotLoadAt, placeIn } from "../cannot-load.ts";

/** For a file that is new: what was looked at once is known by what is kept of it. */
export async function refuseUnyielded(path: string, source: string): Promise<void> {
  if (!mayForget(source)) return;
  const { findUnyielded } = await import("./find-unyielded.ts");
  const found = findUnyielded(path, source);
  if (found === undefined) return;
  const { at, call, how } = found;
  // Answers come back through `yield*`; an emit has none.
  const remedy = /\bemit\.\w+$/.test(call) ? `yield ${call}(…)` : `yield* ${call}(…)`;
  throw cannotLoadAt(placeIn(path, source, at), `${call}(…) ${how}, so it does nothing: write ${remedy}.`);
}

const IMPORT = /\bimport\s+([^;"']*?)\s*from\s*["']@photon\/core["']/g;
const CALL = /(?<!\byield\s*\*?\s*)(?<![\w$.])(?:ask|emit|step|sample|roots)\b[\w.]*\s*[(<]/;

/** Whether the file is worth parsing: it has what makes effects, and does not write `yield` before every call of it. */
function mayForget(source: string): boolean {
  const imports = [...source.matchAll(IMPORT)].map(([, names = ""]) => names);
  if (imports.length > 0 && callsGenerator(source)) return true;
  if (!imports.some((names) => /\*|\b(?:ask|emit|step|sample|roots)\b/.test(names))) return false;
  return imports.some((names) => /\*|\bas\b/.test(names)) || CALL.test(source);
}

const GENERATOR = /\bfunction\s*\*\s*([\w$]+)|([\w$]+)\s*=\s*(?:async\s+)?function\s*\*/g;

/** Whether the file calls a generator function of its own, with no `*` before its name. */
function callsGenerator(source: string): boolean {
  const names = new Set([...source.matchAll(GENERATOR)].map(([, name, named]) => name ?? named ?? ""));
  if (names.size === 0) return false;
  const calls = [...source.matchAll(/(?<!\*\s*)(?<![\w$.])([\w$]+)\s*[(<]/g)];
  return calls.some(([, name = ""]) => names.has(name));
}
