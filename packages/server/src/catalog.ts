/**
 * What a server offers: its tools, prompts and resources.
 *
 * It can be replaced while the server runs; who listens is told which of the
 * three lists have changed. Runs go on with the definitions they began with.
 */
import { InvalidDefinition, matchUri, type Prompt, type Resource, type Tool } from "@photon/core";
import { type ParamHeader, paramHeadersIn } from "./protocol/http-headers.ts";
import { createRegistry, type Registry } from "./registry.ts";
import type { Params } from "./jsonrpc/messages.ts";
import { uniqueUris } from "./unique-uris.ts";

export interface Definitions {
  readonly tools?: Iterable<Tool<never>>;
  readonly prompts?: Iterable<Prompt<never>>;
  readonly resources?: Iterable<Resource<never>>;
}

export type ListName = "tools" | "prompts" | "resources";

/** Whoever is told when lists have changed. */
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

  /** The resource at an address, with the values of its template's variables. */
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

  /** Puts others in the place of the lists that are given. */
  replace({ tools, prompts, resources }: Definitions): void {
    // All are read before any is changed: a broken list changes nothing.
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

  /** Tells them when lists have changed, from now on. */
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
