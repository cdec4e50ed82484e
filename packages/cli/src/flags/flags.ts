/** The flags of a command, as data: for the parser, the help and the documentation. */
import type { Duration, Timeout } from "@photon/core";

export interface Flag {
  /** A `list` takes several values, by commas or by repeating the flag; a `timeout` is a duration or "none". */
  readonly type: "boolean" | "string" | "number" | "duration" | "timeout" | "list";
  readonly short?: string;
  /** The placeholder of its value in the help. */
  readonly value?: string;
  readonly summary: string;
  readonly default?: string | number;
  /** The environment variable that is read if the flag is not given. */
  readonly env?: string;
  /** Whether commas belong to the values of a list: only repeating the flag gives several. */
  readonly keepsCommas?: boolean;
  /** Whether errors must not show its value. */
  readonly isSecret?: boolean;
  readonly choices?: readonly string[];
  /** The names in `name=n`, which the help lists below the flag. */
  readonly names?: readonly Row[];
}

/** A line in two columns. */
export interface Row {
  readonly usage: string;
  readonly summary: string;
}

/** Flags by name, in the order of the help. */
export type Flags = Readonly<Record<string, Flag>>;

/** The flags of a command by group: "Access", "Limits". */
export type FlagGroups = Readonly<Record<string, Flags>>;

/** One table with the flags of all groups. */
export type FlagsOf<Groups extends FlagGroups> = Intersection<Groups[keyof Groups]>;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All extends Flags,
) => void
  ? All
  : never;

/** The values of a table: `--ask-timeout` is `askTimeout`. */
export type Values<Table extends Flags> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: ValueOf<Table[Name]>;
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type ValueOf<One extends Flag> = One extends { readonly type: "boolean" }
  ? boolean
  : One extends { readonly type: "list" }
    ? readonly Word<One>[]
    : Single<One> | (One extends { readonly default: string | number } ? never : undefined);

type Single<One extends Flag> = One extends { readonly type: "number" }
  ? number
  : One extends { readonly type: "duration" }
    ? Duration
    : One extends { readonly type: "timeout" }
      ? Timeout
      : Word<One>;

type Word<One extends Flag> = One extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

/** The flags that every command has. */
export const commonFlags = {
  verbose: { type: "boolean", summary: "show where an error was thrown" },
  help: { type: "boolean", short: "h", summary: "print this help" },
} as const;
