/**
 * The programs of docs/coming-from.md, as files that run.
 *
 * The page is their only source: they are written into a folder beside the packages they need, and compiled there.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { blocksIn } from "../docs/blocks.ts";
import { photon, root } from "../kitchen-sink/processes.ts";

export const folder: string = fileURLToPath(new URL(".", import.meta.url));
export const page: string = readFileSync(join(root, "docs/coming-from.md"), "utf8");

/** Where each program stands on the page. */
const files = {
  Photon: "order.photon.ts",
  "a class of Photon's": "orders.photon.ts",
  FastMCP: "fastmcp.ts",
  "the SDK, version 1": "sdk-1.ts",
  "the SDK, version 2": "sdk-2.ts",
} as const;

/** The same, with what they need to outlast their process: the page says so. */
const changed = {
  "Photon, durable": ["Photon", "async *run(", "durable: true,\n  async *run("],
  "the SDK, version 2, with a key that is shared": [
    "the SDK, version 2",
    "randomBytes(32)",
    'randomBytes(32).fill("k")',
  ],
} as const;

export type Kind = keyof typeof files;
export type Changed = keyof typeof changed;
// They are listed right above.
export const kinds = Object.keys(files) as readonly Kind[];

export interface Programs {
  /** What the compiler has to say of them. */
  readonly problems: string;
  /** What Node is to run for one of them: a server at stdin and stdout. */
  argsOf(kind: Kind | Changed): readonly string[];
  remove(): void;
}

export function writePrograms(): Programs {
  // Inside node_modules, which nothing that looks at sources looks into.
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const here = mkdtempSync(join(folder, "node_modules/.programs-"));
  for (const [name, content] of Object.entries(sources())) writeFileSync(join(here, name), content);
  writeFileSync(join(here, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(here, "tsconfig.json"), JSON.stringify(options(here)));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", here, "--pretty", "false"], {
    encoding: "utf8",
  });
  return {
    problems: stdout,
    argsOf(kind) {
      const file = join(here, nameOf(kind));
      // Photon's are tools, and served from their sources; the others are servers.
      return file.endsWith(".photon.ts") ? [photon, "serve", file] : [file.replace(/ts$/, "js")];
    },
    remove: () => rmSync(here, { recursive: true }),
  };
}

/** Every program, by the name of its file. */
function sources(): Readonly<Record<string, string>> {
  const written = Object.values(files).map((file) => [file, contentOf(file)]);
  const others = Object.entries(changed).map(([kind, [of, from, to]]) => {
    const content = contentOf(files[of]);
    if (!content.includes(from)) throw new Error(`${files[of]} of docs/coming-from.md has no ${from}.`);
    // They are listed right above.
    return [nameOf(kind as Changed), content.replace(from, to)];
  });
  return Object.fromEntries([...written, ...others]) as Readonly<Record<string, string>>;
}

const nameOf = (kind: Kind | Changed): string =>
  kind in files ? files[kind as Kind] : `lasting-${files[changed[kind as Changed][0]]}`;

function contentOf(file: string): string {
  const block = blocksIn(page).find(({ marks }) => marks.includes(file));
  if (block === undefined) throw new Error(`docs/coming-from.md shows no ${file}.`);
  return block.content;
}

const options = (here: string): object => ({
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: {
    composite: false,
    tsBuildInfoFile: null,
    declarationMap: false,
    sourceMap: false,
    isolatedDeclarations: false,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    rootDir: here,
  },
  include: [join(here, "*.ts")],
});
