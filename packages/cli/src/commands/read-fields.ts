/**
 * Input from flags: `--city Paris --nights 3 --no-breakfast --tag a --tag b --address.street "High St"`.
 *
 * What a value stands for is said by the schema. One that does not fit is
 * passed on: the check of the whole input says so, and names it.
 */
import { jsonFrom, numberFrom, yesOrNo, type JsonSchema } from "@photon/core";
import { nearest } from "../flags/nearest.ts";
import { isRecord } from "../is-record.ts";
import { UsageError } from "../errors.ts";
import { fieldsOf, resolved, typesOf, type InputField } from "./input-schema.ts";
import { runFlags } from "./run-flags.ts";

type Draft = { [name: string]: unknown };

/** The input with what the flags say; what was there before stays where they say nothing. */
export function readFields(args: readonly string[], tool: string, schema: JsonSchema, base: object): object {
  const input: Draft = { ...base };
  const repeated = new Set<string>();
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [, flag, given] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (flag === undefined)
      throw new UsageError(
        `${tool} takes no argument ${JSON.stringify(arg)}; its input is given by flags: --name value.`,
      );
    const found = find(flag, tool, schema);
    const isBoolean = typesOf(found.schema).includes("boolean");
    const [next] = left;
    const takesNext =
      given === undefined &&
      next !== undefined &&
      (isBoolean ? /^(?:true|false)$/.test(next) : !next.startsWith("--"));
    const text = given ?? (takesNext ? left.shift() : undefined);
    if (found.isNegated && text !== undefined) throw new UsageError(`--${flag} takes no value.`);
    if (text === undefined && !isBoolean) throw new UsageError(`--${flag} needs a value.`);
    const value = text === undefined ? !found.isNegated : valueFrom(text, found.schema, schema);
    const key = JSON.stringify(found.path);
    put(input, found.path, value, repeated.has(key));
    if (typesOf(found.schema).includes("array")) repeated.add(key);
  }
  return input;
}

interface Found {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  /** `--no-name`. */
  readonly isNegated: boolean;
}

/** What a flag names: a field, a part of one ("address.street"), or the contrary of one ("no-breakfast"). */
function find(flag: string, tool: string, root: JsonSchema): Found {
  const direct = follow(flag.split("."), root);
  if (direct !== undefined) return { ...direct, isNegated: false };
  const negated = flag.startsWith("no-") ? follow(flag.slice("no-".length).split("."), root) : undefined;
  if (negated !== undefined && typesOf(negated.schema).includes("boolean"))
    return { ...negated, isNegated: true };
  const names = fieldsOf(root).map(({ name }) => name);
  const meant = nearest(flag, [...names, ...Object.keys(runFlags)]);
  if (meant !== undefined) throw new UsageError(`${tool} has no input --${flag}; did you mean --${meant}?`);
  const known =
    names.length === 0 ? "it takes none" : `it has ${names.map((name) => `--${name}`).join(", ")}`;
  throw new UsageError(`${tool} has no input --${flag}; ${known}.`);
}

function follow(
  path: readonly string[],
  root: JsonSchema,
): { readonly path: readonly string[]; readonly schema: JsonSchema } | undefined {
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

/** A field by its own name, or as flags are mostly written: "check-in" for "checkIn". */
function fieldNamed(name: string, fields: readonly InputField[]): InputField | undefined {
  return fields.find((field) => field.name === name) ?? fields.find((field) => dashed(field.name) === name);
}

const dashed = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

/** What a text stands for where a schema is wanted. */
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

/** Puts a value where a path leads. What is given again joins what is there, where it is a list. */
function put(input: Draft, path: readonly string[], value: unknown, isRepeated: boolean): void {
  const [name = "", ...rest] = path;
  if (rest.length > 0) {
    const inside: Draft = isRecord(input[name]) ? { ...input[name] } : {};
    put(inside, rest, value, isRepeated);
    input[name] = inside;
    return;
  }
  const before = input[name];
  const joins = isRepeated && Array.isArray(before) && Array.isArray(value);
  input[name] = joins ? [...(before as readonly unknown[]), ...(value as readonly unknown[])] : value;
}
