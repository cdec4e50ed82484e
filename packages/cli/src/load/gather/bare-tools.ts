/** Tools without boilerplate: bare generators, and the methods of a default class. */
import { tool, type Context, type Tool } from "@photon/core";
import { cannotLoadAt } from "../cannot-load.ts";
import { argumentsFor, type Signature } from "../derive/signature.ts";
import type { Cache } from "../link/cache.ts";
import type { Seen } from "../seen.ts";
import { leadingTo } from "./body-of.ts";
import {
  generatorMethods,
  isClass,
  isGenerator,
  type Constructor,
  type Generator,
} from "./kinds-of-exports.ts";

interface BareTool {
  readonly definition: Tool<never>;
  readonly export: string;
}

/** The tools among a file's exports that are no `tool(…)`; `stem` names one that has no name. */
export async function bareTools(
  path: string,
  stem: string,
  exports: ReadonlyMap<string, unknown>,
  cache: Cache,
  seen: Seen,
): Promise<readonly BareTool[]> {
  const generators = [...exports].filter((entry): entry is [string, Generator] => isGenerator(entry[1]));
  const byDefault = exports.get("default");
  const made = isClass(byDefault) ? byDefault : undefined;
  const methods = made === undefined ? [] : generatorMethods(made);
  if (generators.length === 0 && methods.length === 0) return [];
  const { derive } = await import("../derive/derive.ts");
  const wanted = { functions: generators.map(([name]) => name), methods };
  const derived = await derive(path, wanted, cache, seen);
  const functions = generators.flatMap(([name, run]) => {
    const signature = derived.functions[name];
    if (signature === undefined) return [];
    return [{ definition: toolOf(nameOf(name, run, stem), signature, run, path), export: name }];
  });
  if (made === undefined || Object.keys(derived.methods).length === 0) return functions;
  const instance = instanceOf(made, path);
  const ofClass = Object.entries(derived.methods).map(([name, signature]) => ({
    definition: toolOf(name, signature, bound(instance, name), path),
    export: `${made.name}.${name}`,
  }));
  return [...functions, ...ofClass];
}

/** The name of the export; a default goes by its own name, or by that of its file. */
function nameOf(exported: string, { name }: Generator, stem: string): string {
  if (exported !== "default") return exported;
  return name === "" || name === "default" ? stem : name;
}

function toolOf(name: string, signature: Signature, run: Generator, path: string): Tool<never> {
  const { description, input } = signature;
  try {
    return tool({
      name,
      ...(description === undefined ? {} : { description }),
      input,
      run: leadingTo(run, (given: Record<string, unknown>, context: Context) =>
        run(...argumentsFor(signature, given, context)),
      ),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cannotLoadAt({ file: path }, reason, { cause: error });
  }
}

/** One for each class, however often the files around it change. */
const instances = new WeakMap<Constructor, object>();

function instanceOf(made: Constructor, path: string): object {
  const known = instances.get(made);
  if (known !== undefined) return known;
  try {
    const instance = new made();
    instances.set(made, instance);
    return instance;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cannotLoadAt(
      { file: path },
      `The class ${made.name} cannot be made without arguments: ${reason}.`,
      {
        cause: error,
      },
    );
  }
}

/** Looked up with each call, as a method is. */
function bound(instance: object, name: string): Generator {
  // It was found among the generators of the class.
  const method = (): Generator => Reflect.get(instance, name) as Generator;
  return leadingTo(method(), (...args) => method().apply(instance, [...args]));
}
