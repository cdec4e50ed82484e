/**
 * Installs the programs that the tests need: Chromium for the tests of pages, Redis and faketime for those of stores.
 *
 * It installs only those that are missing, from Debian's packages, as root or with sudo.
 */

import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.mjs";

const TOOLS = [
  {
    name: "chromium-headless-shell",
    isFound: () => process.env["PHOTON_CHROMIUM"] !== undefined || isInstalled("chromium-headless-shell"),
    // The tests are slower with any other Chromium, and pass.
    hasSubstitute: () => findChromium() !== undefined,
    what: "the headless shell of Chromium, for the tests of pages",
    byHand: "Install Chromium by hand, or give the path of one in PHOTON_CHROMIUM.",
  },
  {
    name: "redis-server",
    isFound: () => isInstalled("redis-server"),
    what: "Redis, for the tests of stores",
    byHand: "Install redis-server by hand.",
  },
  {
    name: "faketime",
    isFound: () => isInstalled("faketime"),
    what: "faketime, for processes with a wrong clock",
    byHand: "Install faketime by hand.",
  },
];

const missing = TOOLS.filter(({ isFound }) => !isFound());
if (missing.length > 0) {
  for (const { what } of missing) console.error(`Installing ${what}, from Debian.`);
  for (const { name, isFound, hasSubstitute, byHand } of missing) {
    const problem = install(name);
    if (isFound() || hasSubstitute?.() === true) continue;
    console.error(`${problem ?? `${name} was installed, but is not in PATH.`} ${byHand}`);
    process.exitCode = 1;
  }
}

/** Installs a package of Debian. Returns the problem, if there was one.
 *
 * @param {string} name
 */
function install(name) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !isInstalled("sudo")) return `Installing ${name} needs root, and there is no sudo.`;
  if (!isInstalled("apt-get")) return "This system has no apt-get.";
  for (const aptArguments of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", name],
  ]) {
    // `-n`: fail instead of asking for a password.
    const command = [
      ...(isRoot ? [] : ["sudo", "-n"]),
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      ...aptArguments,
    ];
    const [program = "", ...rest] = command;
    // To stderr, because stdout is for results.
    const { status } = spawnSync(program, rest, { stdio: ["ignore", 2, 2] });
    if (status !== 0) return `"${command.join(" ")}" failed.`;
  }
  return undefined;
}

/** @param {string} program */
function isInstalled(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
