/** Where npm finds the packages of Photon for another project: in the registry, or in the tarballs that this installation came from. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot, version } from "../io.ts";

interface PhotonPackages {
  /** By their names, as the dependencies of a package.json in that folder have them. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** A clone whose tarballs have not been made: those that the dependencies refer to. */
  readonly cloneToPack?: string;
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
  if (installed.length > 0) {
    const tarballs = tarballsOf(project);
    const published = { "@photon/cli": `^${version()}`, "@photon/core": `^${version()}` };
    return { dependencies: tarballs.length > 0 ? specifiers(tarballs, folder) : published };
  }
  const clone = join(here, "..", "..");
  const tarballs = ["cli", "core", "playground", "server"].map((name): Tarball => [
    `@photon/${name}`,
    join(clone, "tarballs", `photon-${name}-${version()}.tgz`),
  ]);
  const dependencies = specifiers(tarballs, folder);
  return tarballs.every(([, path]) => existsSync(path))
    ? { dependencies }
    : { dependencies, cloneToPack: clone };
}

type Tarball = readonly [name: string, path: string];

/** The tarballs of our packages that a project depends on. */
function tarballsOf(project: string): readonly Tarball[] {
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

/** As npm takes them in this folder, and in its package.json. */
const specifiers = (tarballs: readonly Tarball[], folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    tarballs.map(([name, path]) => [name, `file:${relative(folder, path).split(sep).join("/")}`]),
  );
