/**
 * Installs what the tests need beside npm's packages: Chromium for the tests of pages, Redis and faketime for those of stores.
 *
 * What is there is left alone. What is not is taken from Debian, as root or by sudo.
 */

import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.mjs";

const TOOLS = [
  {
    name: "chromium",
    isFound: () => findChromium() !== undefined,
    what: "Chromium to test pages in",
    byHand: "Install Chromium by hand, or give the path of one in PHOTON_CHROMIUM.",
  },
  {
    name: "redis-server",
    isFound: () => isThere("redis-server"),
    what: "Redis to test stores in",
    byHand: "Install redis-server by hand.",
  },
  {
    name: "faketime",
    isFound: () => isThere("faketime"),
    what: "faketime to run processes with a wrong clock",
    byHand: "Install faketime by hand.",
  },
];

const missing = TOOLS.filter(({ isFound }) => !isFound());
if (missing.length > 0) {
  for (const { what } of missing) console.error(`There is no ${what}; installing Debian's.`);
  const problem = install(missing.map(({ name }) => name));
  const lost = missing.filter(({ isFound }) => !isFound());
  for (const { name, byHand } of lost) {
    console.error(`${problem ?? `${name} was installed, and is not to be found.`} ${byHand}`);
    process.exitCode = 1;
  }
}

/** Why it is not installed, if it is not.
 *
 * @param {readonly string[]} names
 */
function install(names) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !isThere("sudo"))
    return `It takes root to install ${names.join(" and ")}, and there is no sudo.`;
  if (!isThere("apt-get")) return "This system has no apt-get.";
  for (const words of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...names],
  ]) {
    // `-n`: nobody is there to type a password.
    const command = [
      ...(isRoot ? [] : ["sudo", "-n"]),
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      ...words,
    ];
    const [program = "", ...rest] = command;
    // Not stdout: that is for results.
    const { status } = spawnSync(program, rest, { stdio: ["ignore", 2, 2] });
    if (status !== 0) return `"${command.join(" ")}" has failed.`;
  }
  return undefined;
}

/** @param {string} program */
function isThere(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
