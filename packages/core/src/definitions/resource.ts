import { omitUndefined } from "../util/json.ts";
import { InvalidDefinition } from "../errors.ts";
import type { Signal } from "../util/platform.ts";
import type { Complete } from "./prompt.ts";
import { describeValue } from "../util/describe-value.ts";
import { parseRunnable, type Runnable, type RunnableDefinition } from "./definition.ts";

/** What a resource holds: text, bytes, or either with its own type. */
export type ResourceResult =
  | string
  | Uint8Array
  | { readonly text: string; readonly mimeType?: string }
  | { readonly data: string | Uint8Array; readonly mimeType?: string };

/** What an author writes to make a resource. */
export interface ResourceDefinition<Uri extends string> extends RunnableDefinition<
  { readonly [variable in Variables<Uri>]: string },
  ResourceResult
> {
  /** Its address; with `{name}` in it, a template for many. */
  readonly uri: Uri;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Suggests values for a variable of the template. */
  readonly complete?: { readonly [variable in Variables<Uri>]?: Complete };
  /** Calls `changed` when what is at this address has changed, until the signal is aborted. */
  readonly watch?: (watched: {
    readonly uri: string;
    readonly changed: () => void;
    readonly signal: Signal;
  }) => void | Promise<void>;
}

/** The names in a template: `"file:///{path}"` has `"path"`. */
export type Variables<Uri extends string> = Uri extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Variables<Rest>
  : never;

/** A resource, ready to be read or served. */
export interface Resource<Input = unknown> extends Runnable<Input, ResourceResult> {
  readonly kind: "resource";
  readonly uri: string;
  /** The variables of its template, in order; none for a fixed address. */
  readonly variables: readonly string[];
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly complete?: { readonly [variable: string]: Complete | undefined };
  readonly watch?: ResourceDefinition<string>["watch"];
}

/** Makes a resource of an async generator. Its body may ask as well. */
export function resource<const Uri extends string>(
  definition: ResourceDefinition<Uri>,
): Resource<{ readonly [variable in Variables<Uri>]: string }> {
  const { uri, name = uri, title, description, mimeType, complete, watch } = definition;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new InvalidDefinition(`${describeValue(uri)} is no URI for a resource, like "notes://today".`);
  }
  if (typeof name !== "string" || name === "")
    throw new InvalidDefinition(`${describeValue(name)} is no name for the resource ${uri}.`);
  const own = ["uri", "title", "description", "mimeType", "complete", "watch"];
  const runnable = parseRunnable("resource", { ...definition, name }, own);
  const variables = variablesOf(uri);
  const unknown = Object.keys(complete ?? {}).find((variable) => !variables.includes(variable));
  if (unknown !== undefined) {
    throw new InvalidDefinition(
      `The resource ${uri} completes ${JSON.stringify(unknown)}, which is not in its template.`,
    );
  }
  return Object.freeze({
    kind: "resource",
    uri,
    variables,
    name,
    ...runnable,
    ...omitUndefined({ title, description, mimeType, complete, watch }),
  });
}

/** The values of a resource's variables in an address; nothing where the address is another's. */
export function matchUri(
  { uri: template, variables: names }: Pick<Resource, "uri" | "variables">,
  uri: string,
): { readonly [variable: string]: string } | undefined {
  const [head = "", ...rest] = template.split(VARIABLE);
  if (names.length === 0) return uri === template ? {} : undefined;
  if (!uri.startsWith(head)) return undefined;
  const values: [string, string][] = [];
  let from = head.length;
  for (const [index, name] of names.entries()) {
    const fixed = rest[index] ?? "";
    const isLast = index === names.length - 1;
    // Each variable ends where what follows it comes next: no going back, however long the address is.
    const to = isLast ? uri.length - fixed.length : uri.indexOf(fixed, from + 1);
    const value = to > from && (!isLast || uri.endsWith(fixed)) ? decoded(uri.slice(from, to)) : undefined;
    if (value === undefined) return undefined;
    values.push([name, value]);
    from = to + fixed.length;
  }
  return Object.fromEntries(values);
}

/** The value of a variable: one segment of an address. */
function decoded(segment: string): string | undefined {
  try {
    return /[/?#]/.test(segment) ? undefined : decodeURIComponent(segment);
  } catch {
    // A broken percent-escape: no address of ours.
    return undefined;
  }
}

const VARIABLE = /\{[^{}]*\}/;

function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (bad !== undefined || template.replaceAll(/\{[^{}]*\}/g, "").match(/[{}]/) !== null) {
    throw new InvalidDefinition(
      `The template ${describeValue(template)} may have variables like {name} only.`,
    );
  }
  if (template.includes("}{"))
    throw new InvalidDefinition(
      `The template ${describeValue(template)} has nothing between two variables to tell them apart by.`,
    );
  if (new Set(names).size < names.length)
    throw new InvalidDefinition(`The template ${describeValue(template)} names a variable twice.`);
  return names;
}
