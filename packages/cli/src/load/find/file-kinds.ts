/** Which files are what, by their names. */
import { basename, extname } from "node:path";

const TYPESCRIPT = [".ts", ".mts", ".tsx"];
const JAVASCRIPT = [".js", ".mjs"];

/** What a tool file may end in, in the order in which a name is looked for. */
export const TOOL_ENDINGS: readonly string[] = [...TYPESCRIPT, ...JAVASCRIPT];

/** Has to be compiled before Node can load it. */
export const isCompiled = (file: string): boolean => [...TYPESCRIPT, ".jsx"].includes(extname(file));

/** Types alone: nothing in it can be run. */
const isDeclaration = (file: string): boolean => /\.d\.[cm]?ts$/.test(file);

/** A file of tools by its name: `web.photon.ts`. */
export const isPhotonFile = (file: string): boolean =>
  TOOL_ENDINGS.some((ending) => file.endsWith(`.photon${ending}`));

/** May hold tools where a whole folder is taken: no types, tests or entry points, nothing put aside with "_" or ".". */
export function mayHoldTools(file: string): boolean {
  const name = basename(file);
  if (!TOOL_ENDINGS.includes(extname(name)) || isDeclaration(name)) return false;
  return !/^[_.]|^(?:main|index)\.[^.]+$|\.(?:test|spec|config)\.[^.]+$/.test(name);
}
