/** Where npm finds the packages of Photon for another project: in the registry, or in the tarballs that this installation came from. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot, version } from "../io.ts";

interface PhotonPackages {
  /** By their names, as the dependencies of a package.json in that folder have them. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** A clone whose tarballs have not been made: those that the dependencies refer to. */
  readonly unpackedClone?: string;
}

/**
 * The packages for a project in this folder.
 *
 *   1. An installation from tarballs refers to the same tarballs, as the package.json of its project does.
 *   2. A clone refers to those that `npm run pack` makes there.
 *   3. Any other installation came from the registry. Its cli brings the server and the playground.
 */
export function photonPackages(folder: string): PhotonPackages {
  const here = fileURLToPath(packageRoot);
  const [project = "", ...installed] = here.split(`${sep}node_modules${sep}`);
  if (installed.length === 0) return packagesOfClone(join(here, "..", ".."), folder);
  const tarballs = tarballsOf(project).map(([name, path]) => [name, specifier(path, folder)]);
  const published = { "@photon/cli": `^${version()}`, "@photon/core": `^${version()}` };
  return { dependencies: tarballs.length > 0 ? Object.fromEntries(tarballs) : published };
}

function packagesOfClone(clone: string, folder: string): PhotonPackages {
  const paths = ["cli", "core", "playground", "server"].map(
    (name) => [`@photon/${name}`, join(clone, "tarballs", `photon-${name}-${version()}.tgz`)] as const,
  );
  const dependencies = Object.fromEntries(paths.map(([name, path]) => [name, specifier(path, folder)]));
  return paths.every(([, path]) => existsSync(path))
    ? { dependencies }
    : { dependencies, unpackedClone: clone };
}

/** Our packages that a project depends on by a path, each with its path. */
function tarballsOf(project: string): readonly (readonly [name: string, path: string])[] {
  const path = join(project, "package.json");
  // Of a global installation there is no package.json.
  if (!existsSync(path)) return [];
  // npm has read it.
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly [kind in "dependencies" | "devDependencies"]?: Readonly<Record<string, string>>;
  };
  return Object.entries({ ...devDependencies, ...dependencies })
    .filter(([name, from]) => name.startsWith("@photon/") && from.startsWith("file:"))
    .map(([name, from]) => [name, resolve(project, from.slice("file:".length))]);
}

/** A path as npm takes it in this folder, and in its package.json. */
const specifier = (path: string, folder: string): string =>
  `file:${relative(folder, path).split(sep).join("/")}`;
