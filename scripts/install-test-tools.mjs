/**
 * Installs what the tests need beside npm's packages: a Chromium, in which pages are tested.
 *
 * Where there is one, it does nothing. Where there is none, it takes Debian's, as root or by sudo.
 */

import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.mjs";

if (findChromium() === undefined) {
  console.error("There is no Chromium to test pages in; installing Debian's.");
  const problem = install();
  if (problem !== undefined) {
    console.error(`${problem} Install Chromium by hand, or give the path of one in PHOTON_CHROMIUM.`);
    process.exitCode = 1;
  }
}

/** Why it is not installed, if it is not. */
function install() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !isThere("sudo")) return "It takes root to install it, and there is no sudo.";
  if (!isThere("apt-get")) return "This system has no apt-get.";
  for (const words of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", "chromium"],
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
  return findChromium() === undefined ? "It was installed, and is not to be found." : undefined;
}

/** @param {string} program */
function isThere(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
