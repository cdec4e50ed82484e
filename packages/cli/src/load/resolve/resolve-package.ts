/** From the name of a package, or a `#name`, to a file: what Node does for `import` in a given file. */
import { dirname, join } from "node:path";
import { isFile, isFolder } from "../on-disk.ts";
import { foldersAbove, manifestIn, manifestOf, type Manifest } from "./package-json.ts";
import { targetIn } from "./target-in.ts";

/** The file meant, or what is wrong with the name. */
export type Resolved =
  | { readonly path: string }
  /** `missing`: where it would be, were it installed. */
  | { readonly problem: string; readonly missing?: string };

export function resolvePackage(specifier: string, from: string): Resolved {
  if (specifier.startsWith("#")) return resolveInternal(specifier, from);
  const { name, subpath } = splitSpecifier(specifier);
  const own = manifestOf(from);
  if (own?.fields["name"] === name && own.fields["exports"] !== undefined)
    return resolveExport(own, subpath, name);
  for (const folder of foldersAbove(from)) {
    const home = join(folder, "node_modules", name);
    if (folder.endsWith("node_modules") || !isFolder(home)) continue;
    const manifest = manifestIn(home) ?? { folder: home, fields: {} };
    return (manifest.fields["exports"] ?? undefined) === undefined
      ? resolveLegacy(manifest, subpath, name)
      : resolveExport(manifest, subpath, name);
  }
  if (/^[@~]\//.test(specifier))
    return { problem: "the paths of a tsconfig.json are not followed; write where it is from here: ./…" };
  return {
    problem: `the package ${JSON.stringify(name)} is not installed; run "npm install ${name}" beside the file`,
    missing: join(own?.folder ?? dirname(from), "node_modules", name, "package.json"),
  };
}

function splitSpecifier(specifier: string): { readonly name: string; readonly subpath: string } {
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return { name, subpath: `.${specifier.slice(name.length)}` };
}

function resolveExport(manifest: Manifest, subpath: string, name: string): Resolved {
  const target = targetIn(manifest.fields["exports"], subpath);
  if (target?.startsWith("./") === true) return { path: join(manifest.folder, target) };
  return { problem: `the package ${JSON.stringify(name)} does not export ${JSON.stringify(subpath)}` };
}

/** A package without `exports`: its main file, or the very file named. */
function resolveLegacy({ folder, fields }: Manifest, subpath: string, name: string): Resolved {
  if (subpath !== ".") return { path: join(folder, subpath) };
  const { main } = fields;
  const endings = [".js", ".json", ".node"];
  const guesses = [
    ...(typeof main === "string"
      ? [
          main,
          ...endings.map((ending) => main + ending),
          ...endings.map((ending) => `${main}/index${ending}`),
        ]
      : []),
    ...endings.map((ending) => `index${ending}`),
  ].map((guess) => join(folder, guess));
  const path = guesses.find(isFile);
  return path === undefined ? { problem: `the package ${JSON.stringify(name)} has no main file` } : { path };
}

function resolveInternal(specifier: string, from: string): Resolved {
  const manifest = manifestOf(from);
  const target = manifest && targetIn(manifest.fields["imports"], specifier);
  if (manifest === undefined || target === undefined)
    return { problem: `no package.json above the file has an "imports" entry for it` };
  if (target.startsWith("./")) return { path: join(manifest.folder, target) };
  return resolvePackage(target, join(manifest.folder, "package.json"));
}
