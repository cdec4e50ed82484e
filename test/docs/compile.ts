/** Compiles modules as whoever has installed the packages would: one run of the compiler for all of them. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Module } from "./modules.ts";
import { root } from "./pages.ts";

const OPTIONS = {
  extends: "../../tsconfig.base.json",
  compilerOptions: {
    composite: false,
    tsBuildInfoFile: null,
    declarationMap: false,
    sourceMap: false,
    // Nobody publishes the types of what a page shows.
    isolatedDeclarations: false,
    types: ["node"],
    rootDir: ".",
    outDir: "out",
  },
  include: ["*.ts"],
};

export interface Compiled {
  /** What the compiler has to say of a module: `{ code: "TS2322", said: "docs/asking.md:57 …" }`. */
  readonly problemsOf: (module: Module) => readonly { readonly code: string; readonly said: string }[];
  /** The program it has made of a module. */
  readonly programOf: (module: Module) => string;
  readonly remove: () => void;
}

export function compile(modules: readonly Module[]): Compiled {
  // Within the repository, where packages are found; and in a folder that git and the linters pass over.
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist", "docs-"));
  const nameOf = (module: Module): string => `module-${modules.indexOf(module)}`;
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(OPTIONS));
  for (const module of modules) writeFileSync(join(folder, `${nameOf(module)}.ts`), module.source);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const said = [...stdout.matchAll(/^([^\s(]*)\((\d+),\d+\): error (TS\d+): (.*)$/gm)];
  if (stdout !== "" && said.length === 0) throw new Error(`The compiler compiled nothing: ${stdout}`);
  return {
    problemsOf: (module) =>
      said
        .filter(([, file]) => file === `${nameOf(module)}.ts`)
        .map(([, , line, code = "", sentence]) => ({ code, said: `line ${line}: ${sentence}` })),
    programOf: (module) => join(folder, "out", `${nameOf(module)}.js`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
