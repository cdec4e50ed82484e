/**
 * Packs the packages as `npm publish` would, into `tarballs/`, from what `npm run build` has made.
 *
 * Usage: node scripts/pack.mjs
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

// Of another version, a tarball would stay beside the new one.
rmSync(`${root}tarballs`, { recursive: true, force: true });
mkdirSync(`${root}tarballs`);
const packages = ["core", "server", "playground", "cli"].map((name) => `--workspace=packages/${name}`);
execFileSync("npm", ["pack", "--pack-destination=tarballs", "--loglevel=warn", ...packages], {
  cwd: root,
  stdio: "inherit",
});
