/**
 * Arguments in, what to print and how to exit out.
 *
 *   1. What was asked for goes to stdout, everything else to stderr.
 *   2. An argument that is not understood ends the command: one sentence, exit code 2.
 */

import { parseArgs } from "node:util";
import { flags } from "./flags.ts";
import { help } from "./help.ts";
import { version } from "./version.ts";

export interface Response {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export function respond(args: readonly string[]): Response {
  // Not strict: the complaints of `parseArgs` are about its own options, ours name the argument.
  const { values, tokens } = parseArgs({
    args: [...args],
    options: flags,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });

  for (const token of tokens) {
    if (token.kind === "positional") return misused(`photon takes no argument "${token.value}"`);
    if (token.kind === "option" && !Object.hasOwn(flags, token.name)) {
      return misused(`photon has no flag "${token.rawName}"`);
    }
    if (token.kind === "option" && token.value !== undefined) {
      return misused(`${token.rawName} takes no value`);
    }
  }

  if (values.help) return { stdout: help(), stderr: "", exitCode: 0 };
  if (values.version) return { stdout: `${version()}\n`, stderr: "", exitCode: 0 };
  return { stdout: "", stderr: help(), exitCode: 2 };
}

function misused(problem: string): Response {
  return { stdout: "", stderr: `${problem}; "photon --help" lists what it knows.\n`, exitCode: 2 };
}
