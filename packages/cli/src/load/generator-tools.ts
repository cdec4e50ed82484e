/** Tools without `tool()`: exported generator functions, and the generator methods of a default class. */
import { type Body, type Context, tool, type Tool } from "@photon/core";
import { loadErrorAt } from "../errors.ts";
import type { Signature } from "../schema-from-types/signature.ts";
import { messageOf } from "../unknown.ts";
import type { FileSnapshot } from "../sources/snapshot.ts";

type ToolGenerator = (...args: readonly unknown[]) => Body<unknown>;
type Constructor = new () => object;

interface GeneratorTool {
  readonly definition: Tool<never>;
  readonly export: string;
}

/** The tools among the exports of a file that are no definitions; `stem` names one that has no name. */
export async function generatorTools(
  path: string,
  stem: string,
  exports: ReadonlyMap<string, unknown>,
  snapshot: FileSnapshot,
): Promise<readonly GeneratorTool[]> {
  const generators = [...exports].filter((entry): entry is [string, ToolGenerator] => isGenerator(entry[1]));
  const byDefault = exports.get("default");
  const DefaultClass = isClass(byDefault) ? byDefault : undefined;
  const methods = DefaultClass === undefined ? [] : generatorMethods(DefaultClass);
  if (generators.length === 0 && methods.length === 0) return [];
  const { schemaFromTypes } = await import("../schema-from-types/index.ts");
  const requested = { functions: generators.map(([name]) => name), methods };
  const signatures = schemaFromTypes(path, requested, snapshot);
  const functions = generators.flatMap(([name, run]) => {
    const signature = signatures.functions[name];
    if (signature === undefined) return [];
    return [{ definition: toolOf(nameOf(name, run, stem), signature, run, path), export: name }];
  });
  if (DefaultClass === undefined || Object.keys(signatures.methods).length === 0) return functions;
  const instance = instanceOf(DefaultClass, path);
  const ofClass = Object.entries(signatures.methods).map(([name, signature]) => ({
    definition: toolOf(name, signature, boundMethod(instance, name), path),
    export: `${DefaultClass.name}.${name}`,
  }));
  return [...functions, ...ofClass];
}

const ASYNC_GENERATOR: unknown = Object.getPrototypeOf(async function* () {});

export const isGenerator = (value: unknown): value is ToolGenerator =>
  typeof value === "function" && Object.getPrototypeOf(value) === ASYNC_GENERATOR;

export const isClass = (value: unknown): value is Constructor =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

/** The async generator methods of a class and of those it extends, without names that begin with "_". */
function generatorMethods({ prototype }: Constructor): readonly string[] {
  const names = new Set<string>();
  // A class has a prototype that is an object; the chain ends with that of every object.
  for (let at = prototype as object | null; at !== null && at !== Object.prototype; at = parentOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (isGenerator(value) && !name.startsWith("_")) names.add(name);
  }
  return [...names];
}

// Typed `any` by the library; an object or null by the language.
const parentOf = (object: object): object | null => Object.getPrototypeOf(object) as object | null;

/** The name of the export; a default has its own name, or that of its file. */
function nameOf(exported: string, { name }: ToolGenerator, stem: string): string {
  if (exported !== "default") return exported;
  return name === "" || name === "default" ? stem : name;
}

function toolOf(name: string, signature: Signature, run: ToolGenerator, path: string): Tool<never> {
  const { description, input } = signature;
  try {
    return tool({
      name,
      ...(description === undefined ? {} : { description }),
      input,
      run: withOriginal(run, (given: Record<string, unknown>, context: Context) =>
        run(...argumentsFor(signature, given, context)),
      ),
    });
  } catch (error) {
    throw loadErrorAt({ file: path }, messageOf(error), { cause: error });
  }
}

/** The arguments of a call, from input that was checked. */
export function argumentsFor(
  { parameters }: Signature,
  input: Readonly<Record<string, unknown>>,
  context: Context,
): readonly unknown[] {
  return parameters.flatMap((parameter): readonly unknown[] => {
    switch (parameter.kind) {
      case "input":
        return [input];
      case "property":
        return [input[parameter.name]];
      case "rest": {
        const rest = input[parameter.name];
        return Array.isArray(rest) ? rest : [];
      }
      case "context":
        return [context];
      default:
        return parameter satisfies never;
    }
  });
}

/** One instance of each class, also after other files have changed. */
const instances = new WeakMap<Constructor, object>();

function instanceOf(Class: Constructor, path: string): object {
  const known = instances.get(Class);
  if (known !== undefined) return known;
  try {
    const instance = new Class();
    instances.set(Class, instance);
    return instance;
  } catch (error) {
    throw loadErrorAt({ file: path }, `new ${Class.name}() failed: ${messageOf(error)}.`, { cause: error });
  }
}

/** Looked up with each call, as a method is. */
function boundMethod(instance: object, name: string): ToolGenerator {
  // It was found among the generators of the class.
  const method = (): ToolGenerator => Reflect.get(instance, name) as ToolGenerator;
  return withOriginal(method(), (...args) => method().apply(instance, [...args]));
}

type AnyBody = (...args: never) => unknown;

const originals = new WeakMap<AnyBody, AnyBody>();

/** A wrapper with the source text of the original, which identifies the code of a run. */
function withOriginal<Wrapper extends AnyBody>(original: AnyBody, wrapper: Wrapper): Wrapper {
  originals.set(wrapper, original);
  Object.defineProperty(wrapper, "toString", { value: () => String(original) });
  return wrapper;
}

/** The function that the author wrote. */
export function originalOf(run: AnyBody): AnyBody {
  const original = originals.get(run);
  return original === undefined ? run : originalOf(original);
}
