/**
 * Sorts what was typed after a command that takes the input of a tool: our own flags, words, and the tool's flags.
 *
 * A flag that is not ours belongs to the tool, and is read once its input schema is known. What follows it is taken
 * for its value, unless it is a flag as well.
 */
import type { Flag, Flags } from "../flags/flag.ts";
import { UsageError } from "../errors.ts";

export interface Split {
  /** Our own flags, and what they were given, each as often as it was typed. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
  /** The tool's flags, as they were typed. */
  readonly fields: readonly string[];
  /** The first of them that was typed before any word. */
  readonly early?: string;
  /** What stands after `--`; nothing where there is none. */
  readonly rest?: readonly string[];
}

/** `repeated` are the flags that may be typed several times. */
export function splitArguments(flags: Flags, args: readonly string[], repeated: readonly string[]): Split {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  const fields: string[] = [];
  let early: string | undefined;
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "--") return { given, words, fields, ...(early === undefined ? {} : { early }), rest: left };
    const own = ownFlag(flags, arg);
    if (own !== undefined) {
      const value = own.value ?? (own.flag.type === "boolean" ? "true" : nextFor(own, left));
      given.set(own.name, [...(given.get(own.name) ?? []), checked(own, value)]);
      refuseRepeated(own, given, repeated);
    } else if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
    } else {
      if (words.length === 0) early ??= arg;
      fields.push(arg);
      const [next] = left;
      // "-5" is a value.
      const isValue = next !== undefined && !next.startsWith("--") && ownFlag(flags, next) === undefined;
      if (!arg.includes("=") && isValue) fields.push(...left.splice(0, 1));
    }
  }
  return { given, words, fields, ...(early === undefined ? {} : { early }) };
}

interface Own {
  readonly name: string;
  readonly flag: Flag;
  readonly value?: string;
}

/** Our own flag that an argument stands for, if it does. */
function ownFlag(flags: Flags, arg: string): Own | undefined {
  const [, long, value] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
  const isShort = (one: string): boolean => flags[one]?.short !== undefined && arg === `-${flags[one].short}`;
  const name = long ?? Object.keys(flags).find(isShort);
  const flag = name !== undefined && Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (name === undefined || flag === undefined) return undefined;
  return { name, flag, ...(value === undefined ? {} : { value }) };
}

/** The word after a flag, which is its value. */
function nextFor({ name, flag }: Own, left: string[]): string | undefined {
  const value = left.shift();
  // It is far more likely that the value was forgotten.
  if (value !== undefined && /^-./.test(value))
    throw new UsageError(
      `--${name} needs a value: --${name} ${flag.value ?? "…"}; or write --${name}=${flag.isSecret === true ? "…" : value}.`,
    );
  return value;
}

function checked({ name, flag, value: given }: Own, value: string | undefined): string {
  if (value === undefined)
    throw new UsageError(`--${name} needs a value: --${name} ${flag.value ?? ""}`.trimEnd());
  if (flag.type === "boolean" && given !== undefined) throw new UsageError(`--${name} takes no value.`);
  return value;
}

function refuseRepeated(
  { name, flag }: Own,
  given: ReadonlyMap<string, readonly string[]>,
  repeated: readonly string[],
): void {
  if (flag.type === "boolean" || repeated.includes(name) || given.get(name)?.length === 1) return;
  throw new UsageError(`--${name} is given more than once; give it once.`);
}
