/** What the nearest tsconfig.json says about loading a file: `paths`, decorators, class fields. */
import { createPathsMatcher, findTsconfig, parseTsconfig } from "get-tsconfig";
import type { TransformOptions } from "oxc-transform";
import { messageOf } from "../unknown.ts";

export interface CompilerSettings {
  /** The tsconfig.json. */
  readonly file?: string;
  /** In parentheses, for the end of a sentence: why it cannot be read. */
  readonly problem?: string;
  /** The paths that an import may mean by `paths` or `baseUrl`. */
  readonly paths: (specifier: string) => readonly string[];
  readonly hasDecorators: boolean;
  readonly options: Pick<TransformOptions, "decorator" | "assumptions" | "typescript">;
}

const NONE: CompilerSettings = { paths: () => [], hasDecorators: false, options: {} };

let cache = new Map<string, unknown>();
let settings = new Map<string, CompilerSettings>();

/** A file has changed: perhaps a tsconfig.json. */
export function forgetSettings(): void {
  cache = new Map();
  settings = new Map();
}

/** The settings for a file; the defaults without one. */
export function compilerSettings(file: string | undefined): CompilerSettings {
  const path = file === undefined ? undefined : findTsconfig(file, "tsconfig.json", cache);
  if (path === undefined) return NONE;
  const known = settings.get(path);
  if (known !== undefined) return known;
  const read = readSettings(path);
  settings.set(path, read);
  return read;
}

function readSettings(path: string): CompilerSettings {
  try {
    const config = parseTsconfig(path, new Map());
    const {
      experimentalDecorators = false,
      emitDecoratorMetadata = false,
      ...more
    } = config.compilerOptions ?? {};
    // TypeScript assigns fields where it compiles to a JavaScript that has none.
    const isOld = /^es(?:3|5|6|20(?:1\d|2[01]))$/i.test(more.target ?? "");
    const isAssigned = !(more.useDefineForClassFields ?? !isOld);
    return {
      file: path,
      paths: createPathsMatcher({ path, config }) ?? NONE.paths,
      hasDecorators: experimentalDecorators,
      options: {
        decorator: { legacy: experimentalDecorators, emitDecoratorMetadata },
        assumptions: { setPublicClassFields: isAssigned },
        typescript: { removeClassFieldsWithoutInitializer: isAssigned },
      },
    };
  } catch (error) {
    // One that extends a package which is not installed is no reason to load nothing.
    return { ...NONE, file: path, problem: ` (${messageOf(error)})` };
  }
}
