/**
 * The input of a tool: from `--input` (JSON, a file of it, or stdin), then from flags:
 * `--city Paris --nights 3 --no-breakfast --tag a --tag b --address.street "High St"`.
 *
 * The schema decides how a text is parsed. A value that does not fit is kept: the check of the whole input reports it
 * with its name.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { jsonFrom, numberFrom, yesOrNo, type JsonSchema } from "@photon/core";
import { readProblem, UsageError } from "../errors.ts";
import { closestMatch } from "../flags/closest-match.ts";
import type { Flags } from "../flags/flags.ts";
import { tokenize } from "../flags/parse.ts";
import type { CommandIO } from "../io.ts";
import { isRecord, messageOf } from "../unknown.ts";
import { fieldsOf, resolved, typesOf, type InputField } from "./schema-fields.ts";

/** What `--input` has: JSON, @file.json, or - for stdin. */
export async function readInput(given: string | undefined, io: CommandIO): Promise<object> {
  if (given === undefined) return {};
  const source = given === "-" ? "stdin" : given.startsWith("@") ? given.slice(1) : "--input";
  const input = parseJson(await textOf(given, source, io), source);
  if (!isRecord(input)) throw new UsageError(`The input in ${source} is not a JSON object.`);
  return input;
}

async function textOf(given: string, source: string, { input, cwd }: CommandIO): Promise<string> {
  if (given === "-") return readText(input);
  if (!given.startsWith("@")) return given;
  try {
    return await readFile(resolve(cwd, source), "utf8");
  } catch (error) {
    throw new UsageError(`The input in ${source} cannot be read: ${readProblem(error)}.`, { cause: error });
  }
}

function parseJson(json: string, source: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw new UsageError(`The input in ${source} is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}

/** A tool whose input is given by flags. */
export interface ToolFlags {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The flags of the command, which a misspelt flag may mean. */
  readonly ownFlags: Flags;
}

type Draft = { [name: string]: unknown };

/** The input with the values of the flags; the rest of `base` stays. */
export function inputFromFlags(args: readonly string[], tool: ToolFlags, base: object): object {
  const { name, schema } = tool;
  const fields = fieldsNamedIn(args, schema);
  const types = Object.fromEntries(
    Array.from(fields, ([flag, field]) => [flag, { type: isBoolean(field) ? "boolean" : "string" }] as const),
  );
  const input: Draft = { ...base };
  const repeated = new Set<string>();
  const tokens = tokenize(args, types);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== "option" || !token.rawName.startsWith("--"))
      throw new UsageError(
        `${name} takes no argument ${JSON.stringify(args[token?.index ?? 0])}; its input is given by flags: --name value.`,
      );
    const field = fields.get(token.name);
    if (field === undefined) throw new UsageError(unknownField(token.name, tool));
    let text = token.value;
    const next = tokens[at + 1];
    if (text === undefined && next?.kind === "positional" && /^(?:true|false)$/.test(next.value)) {
      text = next.value;
      at += 1;
    }
    if (field.isNegated && text !== undefined) throw new UsageError(`--${token.name} takes no value.`);
    // "-5" is a value, "--nights" is the next flag.
    if (!isBoolean(field) && (text === undefined || (token.inlineValue !== true && text.startsWith("--"))))
      throw new UsageError(`--${token.name} needs a value.`);
    const value = text === undefined ? !field.isNegated : valueFrom(text, field.schema, schema);
    const path = JSON.stringify(field.path);
    assign(input, field.path, value, repeated.has(path));
    if (typesOf(field.schema).includes("array")) repeated.add(path);
  }
  return input;
}

interface NamedField {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  /** `--no-name` */
  readonly isNegated: boolean;
}

const isBoolean = ({ schema }: NamedField): boolean => typesOf(schema).includes("boolean");

/** The fields that flags name, by the names of the flags. */
function fieldsNamedIn(args: readonly string[], root: JsonSchema): ReadonlyMap<string, NamedField> {
  const flags = args.flatMap((arg) => /^--([^=]+)/.exec(arg)?.[1] ?? []);
  return new Map(
    flags.flatMap((flag) => {
      const field = findField(flag, root);
      return field === undefined ? [] : [[flag, field] as const];
    }),
  );
}

/** A field, a part of one ("address.street"), or the negation of one ("no-breakfast"). */
function findField(flag: string, root: JsonSchema): NamedField | undefined {
  const direct = follow(flag.split("."), root);
  if (direct !== undefined) return { ...direct, isNegated: false };
  const negated = flag.startsWith("no-") ? follow(flag.slice("no-".length).split("."), root) : undefined;
  return negated !== undefined && typesOf(negated.schema).includes("boolean")
    ? { ...negated, isNegated: true }
    : undefined;
}

function unknownField(flag: string, { name, schema, ownFlags }: ToolFlags): string {
  const names = fieldsOf(schema).map((field) => field.name);
  const match = closestMatch(flag, [...names, ...Object.keys(ownFlags)]);
  if (match !== undefined) return `${name} has no input --${flag}; did you mean --${match}?`;
  const known =
    names.length === 0 ? "it takes none" : `it has ${names.map((field) => `--${field}`).join(", ")}`;
  return `${name} has no input --${flag}; ${known}.`;
}

function follow(path: readonly string[], root: JsonSchema): Omit<NamedField, "isNegated"> | undefined {
  let schema = resolved(root, root);
  const names: string[] = [];
  for (const part of path) {
    const field = fieldNamed(part, fieldsOf(schema, root));
    if (field === undefined) return undefined;
    names.push(field.name);
    ({ schema } = field);
  }
  return { path: names, schema };
}

/** By its own name, or as flags are usually written: "check-in" for "checkIn". */
function fieldNamed(name: string, fields: readonly InputField[]): InputField | undefined {
  return fields.find((field) => field.name === name) ?? fields.find((field) => dashed(field.name) === name);
}

const dashed = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

function valueFrom(text: string, schema: JsonSchema, root: JsonSchema): unknown {
  const types = typesOf(schema);
  if (types.includes("string")) return text;
  if (types.includes("array")) {
    const list = text.trimStart().startsWith("[") ? jsonFrom(text) : undefined;
    const items = isRecord(schema["items"]) ? resolved(schema["items"], root) : {};
    return Array.isArray(list) ? (list as readonly unknown[]) : [valueFrom(text, items, root)];
  }
  if (types.includes("number") || types.includes("integer")) return numberFrom(text);
  return types.includes("boolean") ? yesOrNo(text) : jsonFrom(text);
}

/** Assigns a value by its path. A repeated flag appends to a list. */
function assign(input: Draft, path: readonly string[], value: unknown, isRepeated: boolean): void {
  const [name = "", ...rest] = path;
  if (rest.length > 0) {
    const inside: Draft = isRecord(input[name]) ? { ...input[name] } : {};
    assign(inside, rest, value, isRepeated);
    input[name] = inside;
    return;
  }
  const before = input[name];
  const appends = isRepeated && Array.isArray(before) && Array.isArray(value);
  input[name] = appends ? [...(before as readonly unknown[]), ...(value as readonly unknown[])] : value;
}
