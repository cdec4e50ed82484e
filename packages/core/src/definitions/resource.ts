/** `resource()`: parses the definition of a resource, and matches URIs with templates. */
import { omitUndefined } from "../util/json.ts";
import { InvalidDefinition } from "../errors.ts";
import type { Signal } from "../util/platform.ts";
import type { Complete } from "./prompt.ts";
import { describeValue } from "../util/describe-value.ts";
import { parseRunnable, type Runnable, type RunnableDefinition } from "./runnable.ts";

/** The contents of a resource: text or bytes, optionally with a MIME type. */
export type ResourceResult =
  | string
  | Uint8Array
  | { readonly text: string; readonly mimeType?: string }
  | { readonly data: string | Uint8Array; readonly mimeType?: string };

/** What an author writes about a resource. */
export interface ResourceDefinition<Uri extends string> extends RunnableDefinition<
  { readonly [variable in Variables<Uri>]: string },
  ResourceResult
> {
  /** A URI; with variables like `{name}`, a template. */
  readonly uri: Uri;
  readonly mimeType?: string;
  /** Suggests values for the variables of the template. */
  readonly complete?: { readonly [variable in Variables<Uri>]?: Complete };
  /** Must call `changed` when the resource at this URI has changed, until the signal is aborted. */
  readonly watch?: (watched: {
    readonly uri: string;
    readonly changed: () => void;
    readonly signal: Signal;
  }) => void | Promise<void>;
}

/** The variables of a template: `"path"` of `"file:///{path}"`. */
export type Variables<Uri extends string> = Uri extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Variables<Rest>
  : never;

/** A parsed resource, ready to be read or served. */
export interface Resource<Input = unknown> extends Runnable<Input, ResourceResult> {
  readonly kind: "resource";
  readonly uri: string;
  /** The variables of its template, in order; empty for a fixed URI. */
  readonly variables: readonly string[];
  readonly name: string;
  readonly mimeType?: string;
  readonly complete?: { readonly [variable: string]: Complete | undefined };
  readonly watch?: ResourceDefinition<string>["watch"];
}

/** Defines a resource: checks the definition, and throws `InvalidDefinition` where it is wrong. */
export function resource<const Uri extends string>(
  definition: ResourceDefinition<Uri>,
): Resource<{ readonly [variable in Variables<Uri>]: string }> {
  const { uri, name = uri, mimeType, complete, watch } = definition;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new InvalidDefinition(
      `The uri of a resource must be a URI like "notes://today", not ${describeValue(uri)}.`,
    );
  }
  if (typeof name !== "string" || name === "")
    throw new InvalidDefinition(
      `The name of the resource ${uri} must be a non-empty string, not ${describeValue(name)}.`,
    );
  const own = ["uri", "mimeType", "complete", "watch"];
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
    ...omitUndefined({ mimeType, complete, watch }),
  });
}

/** The values of a resource's variables in a URI; undefined if the URI does not match. */
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
    // A variable ends at the first occurrence of the text that follows it: no backtracking, however long the URI is.
    const to = isLast ? uri.length - fixed.length : uri.indexOf(fixed, from + 1);
    const value =
      to > from && (!isLast || uri.endsWith(fixed)) ? decodeSegment(uri.slice(from, to)) : undefined;
    if (value === undefined) return undefined;
    values.push([name, value]);
    from = to + fixed.length;
  }
  return Object.fromEntries(values);
}

/** The value of a variable, which is one segment of a URI. */
function decodeSegment(segment: string): string | undefined {
  try {
    return /[/?#]/.test(segment) ? undefined : decodeURIComponent(segment);
  } catch {
    // A malformed percent-escape.
    return undefined;
  }
}

const VARIABLE = /\{[^{}]*\}/;

function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (bad !== undefined || template.replaceAll(/\{[^{}]*\}/g, "").match(/[{}]/) !== null) {
    throw new InvalidDefinition(
      `The template ${describeValue(template)} must have variables like {name} only.`,
    );
  }
  if (template.includes("}{"))
    throw new InvalidDefinition(`The template ${describeValue(template)} needs text between two variables.`);
  if (new Set(names).size < names.length)
    throw new InvalidDefinition(`The template ${describeValue(template)} names a variable twice.`);
  return names;
}
