/**
 * Parses the arguments of a command: its own flags, the words beside them, and the flags of a tool.
 *
 *   1. A flag that is not in the table is an error with the closest match, unless the command takes the flags of a tool.
 *   2. A flag that is not given has the value of its environment variable, then its default.
 *   3. The flags of a tool are kept as they were typed, because their schema is not known yet. A word right after one
 *      belongs to it.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { CommandIO } from "../io.ts";
import { commandLineFor, type ShellEnvironment } from "../shell-command.ts";
import { closestMatch } from "./closest-match.ts";
import type { Flag, Flags, Values } from "./flags.ts";

/** Arguments that cannot be parsed. No PhotonError, because `photon --version` does not load core. */
export class ParseError extends Error {
  override readonly name = "ParseError";
}

export interface ParsedArgs<Table extends Flags> {
  readonly values: Values<Table>;
  /** The words beside the flags, up to `--`. */
  readonly positionals: readonly string[];
  /** The flags of the tool with their values, up to `--`. */
  readonly toolArgs: readonly string[];
  /** The first of them, if it comes before every word. */
  readonly leadingToolFlag: string | undefined;
  /** What follows `--`. */
  readonly rest: readonly string[];
  /** The flags that were given, each with its texts. */
  readonly provided: ReadonlyMap<string, readonly string[]>;
}

interface ParseOptions extends ShellEnvironment {
  /** Whether flags that are not in the table belong to a tool. */
  readonly takesToolFlags?: boolean;
}

export function parseArguments<const Table extends Flags>(
  command: string,
  table: Table,
  args: readonly string[],
  { cwd, env, takesToolFlags = false }: ParseOptions,
): ParsedArgs<Table> {
  const provided = new Map<string, string[]>();
  const positionals: string[] = [];
  const toolArgs: string[] = [];
  let toolFlagAt = -2;
  let leadingToolFlag: string | undefined;
  let rest: readonly string[] = [];
  for (const token of tokenize(args, optionTypes(table))) {
    const { kind, index } = token;
    const arg = args[index] ?? "";
    if (kind === "option-terminator") {
      rest = args.slice(index + 1);
      break;
    }
    if (kind === "positional") {
      const isToolValue = index === toolFlagAt + 1 && /^--[^=]+$/.test(args[toolFlagAt] ?? "");
      (isToolValue ? toolArgs : positionals).push(token.value);
      continue;
    }
    // Of a tool, "-5h" is a value and not two short flags.
    const mayBeOwn = !takesToolFlags || arg.startsWith("--") || arg.length === 2;
    const flag = mayBeOwn && Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag !== undefined) {
      validateOption(token, flag);
      provided.set(token.name, [...(provided.get(token.name) ?? []), token.value ?? ""]);
      continue;
    }
    if (!takesToolFlags) throw new ParseError(unknownFlag(command, token.rawName, table, { cwd, env }));
    if (positionals.length === 0) leadingToolFlag ??= arg;
    if (index !== toolFlagAt) toolArgs.push(arg);
    toolFlagAt = index;
  }
  const values = Object.entries(table).map(([name, flag]) => [
    name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    valueOf(name, flag, provided.get(name), env),
  ]);
  return {
    // Every flag of the table was read by its type.
    values: Object.fromEntries(values) as Values<Table>,
    positionals,
    toolArgs,
    leadingToolFlag,
    rest,
    provided,
  };
}

interface Option {
  readonly kind: "option";
  readonly index: number;
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

export type Token =
  | Option
  | { readonly kind: "positional"; readonly index: number; readonly value: string }
  | { readonly kind: "option-terminator"; readonly index: number };

/** Not strict: Node's own errors are about its options, ours name what was typed. */
export const tokenize = (
  args: readonly string[],
  options: NonNullable<ParseArgsConfig["options"]>,
): readonly Token[] =>
  parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true }).tokens;

const optionTypes = (table: Flags): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(table).map(([name, { type, short }]) => [
      name,
      { type: type === "boolean" ? type : "string", ...(short === undefined ? {} : { short }) },
    ]),
  );

function validateOption({ rawName, value, inlineValue }: Option, flag: Flag): void {
  if (flag.type === "boolean") {
    if (value !== undefined) throw new ParseError(`${rawName} takes no value.`);
    return;
  }
  const example = `${rawName} needs a value: ${rawName} ${flag.value ?? "…"}`;
  if (value === undefined) throw new ParseError(`${example}.`);
  // Most likely the value was forgotten, and this is the next flag.
  if (inlineValue !== true && /^-./.test(value))
    throw new ParseError(`${example}; or write ${rawName}=${flag.isSecret === true ? "…" : value}.`);
}

function unknownFlag(command: string, rawName: string, table: Flags, shell: ShellEnvironment): string {
  const match = rawName.startsWith("--") ? closestMatch(rawName.slice(2), Object.keys(table)) : undefined;
  const hint =
    match === undefined
      ? `"${commandLineFor(`${command} --help`, shell)}" lists its flags.`
      : `did you mean --${match}?`;
  return `${command} has no flag "${rawName}"; ${hint}`;
}

function valueOf(
  name: string,
  flag: Flag,
  texts: readonly string[] | undefined,
  env: CommandIO["env"],
): unknown {
  if (flag.type === "boolean") return texts !== undefined;
  if (texts !== undefined) return parseTexts(`--${name}`, flag, texts);
  const fromEnv = flag.env === undefined ? "" : (env[flag.env] ?? "");
  if (fromEnv !== "") return parseTexts(flag.env ?? "", flag, [fromEnv]);
  if (flag.type === "list") return flag.default === undefined ? [] : [flag.default];
  return flag.default;
}

/** `source` is what the texts were given by: `--port`, or `PHOTON_PORT`. */
function parseTexts(source: string, flag: Flag, texts: readonly string[]): unknown {
  const words =
    flag.type === "list" && flag.keepsCommas !== true
      ? texts.flatMap((text) => text.split(",")).map((word) => word.trim())
      : texts;
  const invalid = words.find((word) => !isValid(word, flag));
  if (flag.type !== "list" && words.length > 1)
    throw new ParseError(`${source} is given ${words.length} times; give it once.`);
  if (invalid !== undefined)
    throw new ParseError(
      `${source} ${expected(flag)}, not ${invalid === "" ? "nothing" : JSON.stringify(invalid)}.`,
    );
  if (flag.type === "list") return words;
  return flag.type === "number" ? Number(words[0]) : words[0];
}

const DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/;

function isValid(text: string, { type, choices }: Flag): boolean {
  if (type === "number") return isWholeNumber(text);
  if (type === "duration" || type === "timeout")
    return DURATION.test(text) || (type === "timeout" && text === "none");
  return text !== "" && (choices === undefined || choices.includes(text));
}

export const isWholeNumber = (text: string): boolean =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text));

function expected({ type, choices, value }: Flag): string {
  if (choices !== undefined) return `is ${type === "list" ? "any" : "one"} of ${choices.join(", ")}`;
  if (type === "number") return "is a whole number from 0";
  if (type === "duration" || type === "timeout")
    return `is a length of time like 30s, 5m, 2h or 7d${type === "timeout" ? ", or none" : ""}`;
  return `needs a value${value === undefined ? "" : ` (${value})`}`;
}
