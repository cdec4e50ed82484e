/**
 * Makes of each package's sources a few files of JavaScript: a process that starts opens a handful, not hundreds.
 *
 * What is imported only when it is needed stays in files of its own. Types are the compiler's business: it checks them,
 * and writes the declarations.
 *
 * Usage: node scripts/bundle.mjs     (after tsc -b)
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/**
 * By package: the modules that others import, tests and benches among them, and the files to be made of some modules with
 * all that they import. A module is in the first of these files that wants it; one that waits while it is loaded stays by
 * itself, since what it waits for could not import anything from its file.
 */
const PACKAGES = {
  core: { entries: ["index", "testing/index"], files: { core: ["index"] }, alone: [] },
  server: {
    entries: ["index", "sdk/index", "stores/store-contract", "crypto/sealed-box"],
    files: { server: ["index"] },
    alone: [],
  },
  cli: {
    entries: ["main", "load/load", "load/watch", "load/hooks"],
    // The thread of the module hooks loads the first of them, and none of the others.
    files: {
      files: ["load/files", "load/source-location", "is-record"],
      photon: ["main"],
      serve: ["commands/serve", "load/load"],
    },
    alone: ["main"],
  },
};

for (const [name, { entries, files, alone }] of Object.entries(PACKAGES)) {
  const folder = join(packages, name);
  const dist = join(folder, "dist");
  /** @param {string} module */
  const sourceOf = (module) => join(folder, "src", `${module}.ts`);
  const lonely = new Set(alone.map(sourceOf));
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, sourceOf(entry)])),
    platform: "node",
    // Only what is the package's own.
    external: (id) => !id.startsWith(".") && !id.startsWith(folder),
  });
  forgetJavaScript(dist);
  await bundle.write({
    dir: dist,
    sourcemap: true,
    // What is only there to be read is in the sources, and in the declarations. A text without letters of other
    // alphabets takes half the room: V8 keeps two bytes for each character of one that has any.
    comments: { jsdoc: false, annotation: true, legal: true },
    charset: "ascii",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: Object.entries(files).map(([file, modules]) => ({
        debugName: file,
        name: (id, context) =>
          !lonely.has(id) && importedBy(modules.map(sourceOf), context).has(id) ? file : null,
      })),
    },
  });
  await bundle.close();
}

/**
 * Modules, and all that is imported with them.
 *
 * @param {readonly string[]} modules
 * @param {{ getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null }} context
 */
function importedBy(modules, context) {
  const found = new Set(modules);
  // What is found on the way is looked at as well.
  for (const id of found) for (const next of context.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** Names change with what is in a file; those of the last time are nobody's any more.
 *
 * @param {string} dist
 */
function forgetJavaScript(dist) {
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (/\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file));
  }
}
