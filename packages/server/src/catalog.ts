/**
 * The tools, prompts and resources of a server, by name and URI.
 *
 * They can be replaced while the server runs; watchers are notified of the lists that have changed. Runs continue with the definitions
 * that they began with.
 */
import {
  InvalidDefinition,
  matchUri,
  PhotonError,
  type Prompt,
  type Resource,
  type Runnable,
  type Tool,
} from "@photon/core";
import { type ParamHeader, paramHeadersIn } from "./protocol/http-headers.ts";
import type { Params } from "./jsonrpc/messages.ts";

export interface Definitions {
  readonly tools?: Iterable<Tool<never>>;
  readonly prompts?: Iterable<Prompt<never>>;
  readonly resources?: Iterable<Resource<never>>;
}

export type ListName = "tools" | "prompts" | "resources";

/** Notified when lists have changed. */
export interface Watcher {
  changed(lists: readonly ListName[]): void;
}

export class Catalog {
  #tools: Registry<Tool<never>>;
  #prompts: Registry<Prompt<never>>;
  #resources: readonly Resource<never>[];
  /** The same, those with the fewest variables first. */
  #byExactness: readonly Resource<never>[];
  #paramHeaders: ReadonlyMap<string, readonly ParamHeader[]>;
  readonly #watchers = new Set<Watcher>();

  constructor({ tools = [], prompts = [], resources = [] }: Definitions) {
    this.#tools = createRegistry("tool", tools);
    this.#paramHeaders = paramHeadersOf(this.#tools.list());
    this.#prompts = createRegistry("prompt", prompts);
    this.#resources = uniqueUris(resources);
    this.#byExactness = byExactness(this.#resources);
  }

  get tools(): Registry<Tool<never>> {
    return this.#tools;
  }

  get prompts(): Registry<Prompt<never>> {
    return this.#prompts;
  }

  get resources(): readonly Resource<never>[] {
    return this.#resources;
  }

  /** The resource of a URI, with the values of its template's variables. */
  findResource(uri: string): { readonly resource: Resource<never>; readonly variables: object } | undefined {
    for (const resource of this.#byExactness) {
      const variables = matchUri(resource, uri);
      if (variables !== undefined) return { resource, variables };
    }
    return undefined;
  }

  /** The parameters that a call of a tool sends as headers too. */
  paramHeaders(method: string, { name }: Params): readonly ParamHeader[] {
    const isCall = method === "tools/call" && typeof name === "string";
    return (isCall ? this.#paramHeaders.get(name) : undefined) ?? [];
  }

  /** Replaces the lists that are given. */
  replace({ tools, prompts, resources }: Definitions): void {
    // All are checked before any is changed: an invalid list changes nothing.
    const next = {
      tools: tools === undefined ? undefined : createRegistry("tool", tools),
      prompts: prompts === undefined ? undefined : createRegistry("prompt", prompts),
      resources: resources === undefined ? undefined : uniqueUris(resources),
    };
    const paramHeaders = next.tools && paramHeadersOf(next.tools.list());
    this.#tools = next.tools ?? this.#tools;
    this.#paramHeaders = paramHeaders ?? this.#paramHeaders;
    this.#prompts = next.prompts ?? this.#prompts;
    this.#resources = next.resources ?? this.#resources;
    this.#byExactness = byExactness(this.#resources);
    const changed = (["tools", "prompts", "resources"] as const).filter((name) => next[name] !== undefined);
    for (const watcher of this.#watchers) watcher.changed(changed);
  }

  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }
}

const byExactness = (resources: readonly Resource<never>[]): readonly Resource<never>[] =>
  resources.toSorted((a, b) => a.variables.length - b.variables.length);

/** The tools that have parameters which are sent as headers too. */
function paramHeadersOf(tools: readonly Tool<never>[]): ReadonlyMap<string, readonly ParamHeader[]> {
  const byName = new Map<string, readonly ParamHeader[]>();
  for (const { name = "", input } of tools) {
    const found = paramHeadersIn(input.json);
    if ("problem" in found) throw new InvalidDefinition(`The input of the tool ${name}: ${found.problem}.`);
    if (found.length > 0) byName.set(name, found);
  }
  return byName;
}

/**
 * Definitions by name.
 *
 *   1. Every one has a name, and no two share one.
 *   2. The order is that of the names by code unit, however they were given.
 */

type Named = Pick<Runnable<never, unknown>, "name">;

interface Registry<Definition extends Named> {
  readonly find: (name: string) => Definition | undefined;
  /** All, sorted by name. */
  readonly list: () => readonly Definition[];
}

/** A tool, prompt or resource has no name. */
export class MissingName extends PhotonError {
  override readonly name = "MissingName";
  readonly code = "MISSING_NAME";

  constructor(what: string, position: number) {
    super(`The ${what} number ${position} has no name; a ${what} needs one to be called by.`);
  }
}

/** Two tools, or two prompts, have the same name. */
export class DuplicateName extends PhotonError {
  override readonly name = "DuplicateName";
  readonly code = "DUPLICATE_NAME";

  constructor(what: string, name: string) {
    super(`Two ${what}s are named "${name}"; rename one of them.`);
  }
}

export function createRegistry<Definition extends Named>(
  what: string,
  definitions: Iterable<Definition>,
): Registry<Definition> {
  const byName = new Map<string, Definition>();
  let position = 0;
  for (const definition of definitions) {
    position += 1;
    if (definition.name === undefined || definition.name === "") throw new MissingName(what, position);
    if (byName.has(definition.name)) throw new DuplicateName(what, definition.name);
    byName.set(definition.name, definition);
  }

  // `<` compares strings by code unit, so the order is the same in every locale.
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
  return {
    find: (name) => byName.get(name),
    list: () => sorted,
  };
}

/** Two resources have the same URIs: one of them would never be read. */
export class DuplicateUri extends PhotonError {
  override readonly name = "DuplicateUri";
  readonly code = "DUPLICATE_URI";

  constructor(uri: string, other: string) {
    super(
      uri === other
        ? `Two resources are at ${uri}; give one of them another address.`
        : `${other} and ${uri} stand for the same addresses; change one of them.`,
    );
  }
}

function uniqueUris(resources: Iterable<Resource<never>>): readonly Resource<never>[] {
  const byAddress = new Map<string, Resource<never>>();
  for (const resource of resources) {
    // The names of the variables do not change which URIs a template matches.
    const address = resource.uri.replaceAll(/\{[^{}]*\}/g, "{}");
    const other = byAddress.get(address);
    if (other !== undefined) throw new DuplicateUri(resource.uri, other.uri);
    byAddress.set(address, resource);
  }
  return [...byAddress.values()];
}
