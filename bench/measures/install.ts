/** The size of an installation of `@photon/server` and of other frameworks: packages, bytes, install scripts. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measure } from "../harness/settings.ts";
import type { Sample } from "../harness/table.ts";
import { runRounds } from "../harness/run-rounds.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const BASELINE = "express";
const installCommand = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];

export const install: Measure = {
  name: "install",
  about: "how many packages are installed with each, and how large they are",
  async run(settings) {
    const folder = mkdtempSync(join(tmpdir(), "photon-install-"));
    try {
      const wanted: Readonly<Record<string, readonly string[]>> = {
        [BASELINE]: [`express@${versionOf("node_modules/express")}`],
        Photon: [pack("core", folder), pack("server", folder)],
        "SDK v1": [pinned("@modelcontextprotocol/sdk"), pinned("zod")],
        "SDK v2": [
          pinned("@modelcontextprotocol/server"),
          pinned("@modelcontextprotocol/node"),
          pinned("zod"),
        ],
        fastmcp: [pinned("fastmcp"), pinned("zod")],
      };
      const samplers = Object.entries(wanted)
        .filter(([variant]) => variant === BASELINE || settings.includes(variant))
        .map(([variant, packages]) => ({
          scenario: "an empty folder",
          variant,
          sample: async () => installPackages(join(folder, variant.replaceAll(" ", "-")), packages),
        }));
      return [
        {
          title: "What is installed",
          baseline: BASELINE,
          columns: {
            packages: { title: "packages", unit: "count" },
            size: { title: "size", unit: "kibibytes" },
            scripts: { title: "with install scripts", unit: "count" },
          },
          // Every round has the same result.
          rows: await runRounds(samplers, { ...settings, rounds: 1 }),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Packs one of Photon's packages, and returns the path of the tarball. */
function pack(name: string, into: string): string {
  const cwd = join(root, "packages", name);
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", into], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // The format that npm documents for `pack --json`.
  const [tarball] = JSON.parse(output) as readonly { readonly filename: string }[];
  return join(into, tarball?.filename ?? "");
}

function installPackages(folder: string, packages: readonly string[]): Sample {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  execFileSync("npm", [...installCommand, ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const lock = readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8");
  // The lockfile that npm writes into node_modules.
  const { packages: entries } = JSON.parse(lock) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const all = Object.values(entries);
  return {
    packages: all.length,
    size: sizeOf(join(folder, "node_modules")) / 1024,
    scripts: all.filter(({ hasInstallScript = false }) => hasInstallScript).length,
  };
}

function sizeOf(folder: string): number {
  let size = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) size += statSync(join(entry.parentPath, entry.name)).size;
  return size;
}

/** The version that the other measures use. */
function pinned(name: string): string {
  const peers = readFileSync(join(root, "bench/peers/package.json"), "utf8");
  // A file of this repository.
  const { dependencies } = JSON.parse(peers) as { readonly dependencies: Readonly<Record<string, string>> };
  return `${name}@${dependencies[name] ?? "latest"}`;
}

function versionOf(folder: string): string {
  // Every installed package.json has a version.
  const { version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
