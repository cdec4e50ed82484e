/**
 * From what was typed to the values of a table of flags, or to the sentence that says what is wrong.
 *
 *   1. A flag that is not in the table is refused, with the one that may have been meant.
 *   2. What is not given comes from the flag's environment variable, then from its default.
 */
import { parseArgs } from "node:util";
import type { CommandIO } from "../io.ts";
import type { Flag, Flags, Values } from "./flag.ts";
import { nearest } from "./nearest.ts";
import { readValue } from "./read-value.ts";

export interface Given<Table extends Flags> {
  readonly values: Values<Table>;
  /** The words beside the flags. */
  readonly words: readonly string[];
  /** The flags that were typed. */
  readonly typed: ReadonlySet<keyof Table>;
}

export interface Misuse {
  readonly problem: string;
}

export function readFlags<const Table extends Flags>(
  command: string,
  table: Table,
  args: readonly string[],
  env: CommandIO["env"],
): Given<Table> | Misuse {
  const words: string[] = [];
  const texts = new Map<string, string[]>();
  for (const token of tokensOf(table, args)) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag === undefined) return { problem: unknownFlag(command, token.rawName, table) };
    const problem = misgiven(token, flag);
    if (problem !== undefined) return { problem };
    texts.set(token.name, [...(texts.get(token.name) ?? []), token.value ?? ""]);
  }
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(table)) {
    const read = readOne(name, flag, texts.get(name), env);
    if ("problem" in read) return { problem: `${read.problem}.` };
    values[name] = read.value;
  }
  // Every flag of the table was read, each by its own type.
  return { values: values as Values<Table>, words, typed: new Set(texts.keys()) };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function tokensOf(table: Flags, args: readonly string[]) {
  const options = Object.entries(table).map(([name, { type, short }]) => [
    name,
    { type: type === "boolean" ? type : "string", multiple: true, ...(short === undefined ? {} : { short }) },
  ]);
  // Not strict: its complaints are about the options it was given, ours name what was typed.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options) as NonNullable<Parameters<typeof parseArgs>[0]>["options"] & object,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return tokens;
}

/** What is wrong with how a flag was given, if anything. */
function misgiven({ rawName, value, inlineValue }: OptionToken, flag: Flag): string | undefined {
  if (flag.type === "boolean") return value === undefined ? undefined : `${rawName} takes no value.`;
  const example = `${rawName} ${flag.value ?? "…"}`;
  if (value === undefined) return `${rawName} needs a value: ${example}.`;
  // It is far more likely that the value was forgotten.
  if (inlineValue !== true && /^-./.test(value))
    return `${rawName} needs a value: ${example}; or write ${rawName}=${flag.isSecret === true ? "…" : value}.`;
  return undefined;
}

function readOne(name: string, flag: Flag, texts: readonly string[] | undefined, env: CommandIO["env"]) {
  if (flag.type === "boolean") return { value: texts !== undefined };
  if (texts !== undefined) return readValue(`--${name}`, flag, texts);
  const fromEnv = flag.env === undefined ? "" : (env[flag.env] ?? "");
  if (fromEnv !== "") return readValue(flag.env ?? "", flag, [fromEnv]);
  if (flag.type === "list") return { value: flag.default === undefined ? [] : [flag.default] };
  return { value: flag.default };
}

function unknownFlag(command: string, rawName: string, table: Flags): string {
  const meant = rawName.startsWith("--") ? nearest(rawName.slice(2), Object.keys(table)) : undefined;
  const wayOut = meant === undefined ? `"${command} --help" lists what it knows` : `did you mean --${meant}?`;
  return `${command} has no flag "${rawName}"; ${wayOut}${meant === undefined ? "." : ""}`;
}
