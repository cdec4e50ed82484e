/**
 * Reads what was typed after `photon run`.
 *
 * Our own flags are read here. Every other one belongs to the tool, and is read
 * once its input schema is known; so is everything after `--`. The file comes
 * before the tool's flags, because only then is it clear what is a value.
 */
import { logLevels, type LogLevel, type Timeout } from "@photon/core";
import { readValue } from "../flags/read-value.ts";
import { UsageError } from "../errors.ts";
import { runFlags, type RunOptions } from "./run-flags.ts";
import { splitArguments } from "./split-arguments.ts";

export function readRunArguments(args: readonly string[]): RunOptions {
  const {
    given,
    words,
    fields,
    early,
    rest = [],
  } = splitArguments(runFlags, args, ["answer", "decline", "cancel"]);
  const [target, more] = words;
  if (more !== undefined)
    throw new UsageError(`photon run takes one file; ${JSON.stringify(more)} is too much.`);
  if (early !== undefined)
    throw new UsageError(`Name the file before the tool's own flags: photon run <file>[#tool] ${early} …`);
  return optionsOf(given, [...fields, ...rest], target);
}

function optionsOf(
  given: ReadonlyMap<string, readonly string[]>,
  fields: readonly string[],
  target: string | undefined,
): RunOptions {
  const text = (name: string): string | undefined => given.get(name)?.[0];
  const texts = {
    input: text("input"),
    answers: text("answers"),
    record: text("record"),
    out: text("out"),
    target,
  };
  const askTimeout = text("ask-timeout");
  return {
    // Only what was given: an option that is there and `undefined` would be another thing.
    ...(Object.fromEntries(
      Object.entries(texts).filter(([, value]) => value !== undefined),
    ) as Partial<RunOptions>),
    ...(askTimeout === undefined ? {} : { askTimeout: timeout(askTimeout) }),
    fields,
    answer: given.get("answer") ?? [],
    decline: given.get("decline") ?? [],
    cancel: given.get("cancel") ?? [],
    noInput: given.has("no-input"),
    json: given.has("json"),
    logLevel: logLevel(text("log-level") ?? "info"),
    verbose: given.has("verbose"),
    help: given.has("help"),
  };
}

function timeout(given: string): Timeout {
  const read = readValue("--ask-timeout", runFlags["ask-timeout"], [given]);
  if ("problem" in read) throw new UsageError(`${read.problem}.`);
  // It was read by the type of its flag.
  return read.value as Timeout;
}

function logLevel(given: string): LogLevel {
  const level = logLevels.find((one) => one === given);
  if (level === undefined)
    throw new UsageError(`--log-level is one of ${logLevels.join(", ")}, not ${JSON.stringify(given)}.`);
  return level;
}
