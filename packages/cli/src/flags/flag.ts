/** The flags of a command, as data: for reading them, for the help, and for the documentation. */
import type { Duration, Timeout } from "@photon/core";

export interface Flag {
  /** A `list` may be given several times, and with commas; a `timeout` is a duration or "none". */
  readonly type: "boolean" | "string" | "number" | "duration" | "timeout" | "list";
  readonly short?: string;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly summary: string;
  readonly default?: string | number;
  /** The environment variable that stands in where the flag is not given. */
  readonly env?: string;
  /** Whether a list takes what it is given as it is, commas and all. */
  readonly isWhole?: boolean;
  /** Whether what it is given is never to be shown. */
  readonly isSecret?: boolean;
  /** The only values there are. */
  readonly choices?: readonly string[];
}

/** Every flag of a command, in the order the help shows them. */
export type Flags = Readonly<Record<string, Flag>>;

/** What the flags of a table were given. */
export type Values<Table extends Flags> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

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
