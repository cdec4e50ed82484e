/**
 * The tools, prompts and resources of a server, by name and URI.
 *
 * They can be replaced while the server runs; watchers are notified of the lists that have changed. Calls in progress finish on the
 * old definitions; a durable run that is replayed gets the new one, or `ToolVersionChanged`.
 */
import { matchUri, PhotonError, type Prompt, type Resource, type Runnable, type Tool } from "@photon/core";
import { type ParamHeader, paramHeadersIn } from "./protocol/http-headers.ts";
import type { Params } from "./jsonrpc/messages.ts";

/** The tools, prompts and resources that a server offers. */
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

/** The definitions of a server, all checked. */
interface Lists {
  readonly tools: Registry<Tool<never>>;
  readonly prompts: Registry<Prompt<never>>;
  readonly resources: readonly Resource<never>[];
  /** The resources, those with the fewest variables first. */
  readonly byExactness: readonly Resource<never>[];
  /** The parameters of tools that are sent as headers too, by tool. */
  readonly paramHeaders: ReadonlyMap<string, readonly ParamHeader[]>;
}

export class Catalog {
  #lists: Lists;
  readonly #watchers = new Set<Watcher>();

  constructor({ tools = [], prompts = [], resources = [] }: Definitions) {
    this.#lists = {
      ...toolsIn(tools),
      prompts: createRegistry("prompt", prompts),
      ...resourcesIn(resources),
    };
  }

  get tools(): Lists["tools"] {
    return this.#lists.tools;
  }

  get prompts(): Lists["prompts"] {
    return this.#lists.prompts;
  }

  get resources(): Lists["resources"] {
    return this.#lists.resources;
  }

  /** The resource of a URI, with the values of its template's variables. */
  findResource(uri: string): { readonly resource: Resource<never>; readonly variables: object } | undefined {
    for (const resource of this.#lists.byExactness) {
      const variables = matchUri(resource, uri);
      if (variables !== undefined) return { resource, variables };
    }
    return undefined;
  }

  /** The parameters that a call of a tool sends as headers too. */
  paramHeaders(method: string, { name }: Params): readonly ParamHeader[] {
    const isCall = method === "tools/call" && typeof name === "string";
    return (isCall ? this.#lists.paramHeaders.get(name) : undefined) ?? [];
  }

  /** Replaces the lists that are given, unless one of them is invalid. */
  replace(given: Definitions): void {
    const { tools, prompts, resources } = given;
    this.#lists = {
      ...this.#lists,
      ...(tools && toolsIn(tools)),
      ...(prompts && { prompts: createRegistry("prompt", prompts) }),
      ...(resources && resourcesIn(resources)),
    };
    const changed = (["tools", "prompts", "resources"] as const).filter((name) => given[name] !== undefined);
    for (const watcher of this.#watchers) watcher.changed(changed);
  }

  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  unwatch(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }
}

function toolsIn(definitions: Iterable<Tool<never>>): Pick<Lists, "tools" | "paramHeaders"> {
  const tools = createRegistry("tool", definitions);
  const paramHeaders = new Map<string, readonly ParamHeader[]>();
  for (const { name = "", input } of tools.list()) {
    const found = paramHeadersIn(name, input.json);
    if (found.length > 0) paramHeaders.set(name, found);
  }
  return { tools, paramHeaders };
}

function resourcesIn(definitions: Iterable<Resource<never>>): Pick<Lists, "resources" | "byExactness"> {
  const byUri = new Map<string, Resource<never>>();
  for (const resource of definitions) {
    // The names of the variables do not change which URIs a template matches.
    const uri = resource.uri.replaceAll(/\{[^{}]*\}/g, "{}");
    const other = byUri.get(uri);
    if (other !== undefined) throw new DuplicateUri(resource.uri, other.uri);
    byUri.set(uri, resource);
  }
  const resources = [...byUri.values()];
  return { resources, byExactness: resources.toSorted((a, b) => a.variables.length - b.variables.length) };
}

type Named = Pick<Runnable<never, unknown>, "name">;

/** Definitions by name. */
interface Registry<Definition extends Named> {
  readonly find: (name: string) => Definition | undefined;
  /** All, sorted by name. */
  readonly list: () => readonly Definition[];
}

/** Throws if two definitions have the same name, or one has none. */
export function createRegistry<Definition extends Named>(
  kind: string,
  definitions: Iterable<Definition>,
): Registry<Definition> {
  const byName = new Map<string, Definition>();
  let position = 0;
  for (const definition of definitions) {
    position += 1;
    if (definition.name === undefined || definition.name === "") throw new MissingName(kind, position);
    if (byName.has(definition.name)) throw new DuplicateName(kind, definition.name);
    byName.set(definition.name, definition);
  }
  // `<` compares strings by code unit, so the order is the same in every locale.
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
  return { find: (name) => byName.get(name), list: () => sorted };
}

/** A tool, prompt or resource has no name. */
export class MissingName extends PhotonError {
  readonly code = "MISSING_NAME";

  constructor(kind: string, position: number) {
    super(`The ${kind} number ${position} has no name; give it one.`);
  }
}

/** Two tools, or two prompts, have the same name. */
export class DuplicateName extends PhotonError {
  readonly code = "DUPLICATE_NAME";

  constructor(kind: string, name: string) {
    super(`Two ${kind}s are named "${name}"; rename one of them.`);
  }
}

/** Two resources have the same URI, or templates that match the same URIs: one of them would never be read. */
export class DuplicateUri extends PhotonError {
  readonly code = "DUPLICATE_URI";

  constructor(uri: string, other: string) {
    super(
      uri === other
        ? `Two resources are at ${uri}; give one of them another address.`
        : `${other} and ${uri} match the same URIs; change one of them.`,
    );
  }
}
