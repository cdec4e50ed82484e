/**
 * Bundles each package's sources into a few files of JavaScript, so that a process opens a handful of files at its start.
 *
 * Modules that are imported on demand stay in separate files. The TypeScript compiler checks the types and writes the
 * declarations.
 *
 * Usage: node scripts/bundle.mjs     (after tsc -b)
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/**
 * For each package:
 *   - `entries`: the modules that other packages, tests and benches import
 *   - `files`: the bundles, each with its modules and everything that these import. A module is in the first bundle that needs it
 *   - `alone`: modules with a top-level await. They stay separate: the modules that they wait for could not import from their bundle
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
    // The thread of the module hooks loads only the first bundle.
    files: {
      files: ["sources/files", "sources/source-locations", "unknown"],
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
  const separate = new Set(alone.map(sourceOf));
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, sourceOf(entry)])),
    platform: "node",
    // Bundles only the package's own modules.
    external: (id) => !id.startsWith(".") && !id.startsWith(folder),
  });
  removeJavaScript(dist);
  await bundle.write({
    dir: dist,
    sourcemap: true,
    // JSDoc is in the sources and the declarations. ASCII takes half of the memory: V8 keeps two bytes for each character
    // of a source with any character above 255.
    comments: { jsdoc: false, annotation: true, legal: true },
    charset: "ascii",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: Object.entries(files).map(([file, modules]) => ({
        debugName: file,
        name: (id, context) =>
          !separate.has(id) && importedBy(modules.map(sourceOf), context).has(id) ? file : null,
      })),
    },
  });
  await bundle.close();
}

/**
 * These modules, and all modules that they import, directly or indirectly.
 *
 * @param {readonly string[]} modules
 * @param {{ getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null }} context
 */
function importedBy(modules, context) {
  const found = new Set(modules);
  // A Set that grows while it is iterated: modules that are added are visited, too.
  for (const id of found) for (const next of context.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** Removes the files of the last build: file names contain a hash of the content, so they are not overwritten.
 *
 * @param {string} dist
 */
function removeJavaScript(dist) {
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (/\.js(?:\.map)?$/.test(file)) rmSync(join(dist, file));
  }
}
