/**
 * Finds effects that a tool file creates and certainly does not yield:
 * `await ask.confirm(…)`, `if (ask.confirm(…))`, and a statement `step(…);` or `emit.status(…);`.
 *
 *   1. Names that are imported from `@photon/core` count. A name that the file also declares itself is ignored: the two
 *      are not told apart.
 *   2. A call of a generator function of the same file counts as an effect: it does nothing before it is yielded. The name
 *      must be declared once in the block of that function.
 *   3. An effect that is stored in a `const` is found where that is awaited or a condition. The name must be declared once
 *      in the block of that `const`.
 *   4. An effect that is stored, returned or passed on in another way is ignored: only a run shows whether it is yielded.
 */
import type { EcmaScriptModule, Program } from "oxc-parser";
import { isNode, listOf, nameOf, nodesIn, pathsIn, type Node, type NodePath } from "./syntax-tree.ts";

const IMPORT = /\bimport\s+([^;"']*?)\s*from\s*["']@photon\/core["']/g;
const CALL = /(?<!\byield\s*\*?\s*)(?<![\w$.])(?:ask|emit|step|sample|roots)\b[\w.]*\s*[(<]/;

/** Whether a file must be parsed: it imports functions that create effects, and does not write `yield` before every call of it. */
export function mayForgetYield(source: string): boolean {
  const imports = [...source.matchAll(IMPORT)].map(([, names = ""]) => names);
  if (imports.length > 0 && callsGenerator(source)) return true;
  if (!imports.some((names) => /\*|\b(?:ask|emit|step|sample|roots)\b/.test(names))) return false;
  return imports.some((names) => /\*|\bas\b/.test(names)) || CALL.test(source);
}

// The names begin at their first letter, so that a long word is read once.
const GENERATOR = /\bfunction\s*\*\s*([\w$]+)|(?<![\w$])([\w$]+)\s*=\s*(?:async\s+)?function\s*\*/g;

/** Whether the file calls a generator function of its own, with no `*` before its name. */
function callsGenerator(source: string): boolean {
  const names = new Set([...source.matchAll(GENERATOR)].map(([, name, named]) => name ?? named ?? ""));
  if (names.size === 0) return false;
  const calls = [...source.matchAll(/(?<!\*\s*)(?<![\w$.])([\w$]+)\s*[(<]/g)];
  return calls.some(([, name = ""]) => names.has(name));
}

/** The import behind each name: `ask`, `step`, …, or `*` for the whole module. */
type Imported = ReadonlyMap<string, string>;

/** Functions that create an effect; objects whose functions do; the exceptions. */
const EFFECT_FUNCTIONS: ReadonlySet<string> = new Set(["step", "sample", "roots"]);
const EFFECT_NAMESPACES: ReadonlySet<string> = new Set(["ask", "emit", "step"]);
const NOT_EFFECTS: ReadonlySet<string> = new Set(["ask.optional"]);

/** Expressions that concern the type only, and leave the value as it is. */
const TYPED: ReadonlySet<string> = new Set([
  "TSNonNullExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSTypeAssertion",
]);

/** The first effect in a file that it certainly does not yield. */
export function findUnyielded(program: Program, module: EcmaScriptModule): Unyielded | undefined {
  const imported = importedFromCore(module);
  for (const name of declaredIn(program)) imported.delete(name);
  const [first] = unyieldedIn([...pathsIn(program)], imported);
  return first;
}

const importedFromCore = ({ staticImports }: EcmaScriptModule): Map<string, string> =>
  new Map(
    staticImports
      .filter(({ moduleRequest }) => moduleRequest.value === "@photon/core")
      .flatMap(({ entries }) => entries)
      .map(({ localName, importName }) => [localName.value, importName.name ?? "*"]),
  );

/** Every name that something other than an import declares. */
function* declaredIn(program: unknown): Generator<string> {
  for (const node of nodesIn(program)) {
    if (
      node.type === "VariableDeclarator" ||
      node.type.startsWith("Class") ||
      node.type.startsWith("Function")
    )
      yield* namesIn(node["id"]);
    if (node.type === "CatchClause") yield* namesIn(node["param"]);
    for (const parameter of listOf(node["params"])) yield* namesIn(parameter);
  }
}

/** The names in a pattern: `a`, `{ a, b: [c] }`, `a = 1`. */
function* namesIn(pattern: unknown): Generator<string> {
  for (const node of nodesIn(pattern)) {
    const name = nameOf(node);
    if (name !== undefined) yield name;
  }
}

interface Unyielded {
  /** Where the effect is created, as an offset in the source. */
  readonly at: number;
  /** As the author wrote it: `ask.confirm`. */
  readonly call: string;
  /** How it is used instead: "is awaited and not yielded". */
  readonly how: string;
}

function* unyieldedIn(paths: readonly NodePath[], imported: Imported): Generator<Unyielded> {
  const generators = paths.flatMap((path) => generatorAt(path) ?? []);
  for (const path of paths) {
    const call = creatorOf(path.node, imported) ?? generatorOf(path, generators);
    const how = call === undefined ? undefined : (useOf(path) ?? useOfStored(path, paths));
    if (call !== undefined && how !== undefined) yield { at: path.node.start, call, how };
  }
}

/** The function that creates an effect: `ask.confirm`, `photon.step.now`. */
function creatorOf(node: Node, imported: Imported): string | undefined {
  if (node.type !== "CallExpression") return undefined;
  const path = pathOf(node["callee"]);
  const [first = "", ...rest] = path;
  const original = imported.get(first);
  if (original === undefined) return undefined;
  const [name = "", ...members] = original === "*" ? rest : [original, ...rest];
  const isCreator =
    (members.length === 0 && EFFECT_FUNCTIONS.has(name)) ||
    (members.length === 1 && EFFECT_NAMESPACES.has(name) && !NOT_EFFECTS.has([name, ...members].join(".")));
  return isCreator ? path.join(".") : undefined;
}

/** What a generator function is called: `function* name() {}`, `const name = function* () {}`. */
const generatorAt = (path: NodePath): Binding | undefined =>
  path.node["generator"] === true
    ? bindingOf(path.node.type === "FunctionDeclaration" ? path : path.parent)
    : undefined;

/** The name of the generator function that a node calls. */
function generatorOf({ node, key, parent }: NodePath, generators: readonly Binding[]): string | undefined {
  const callee = node["callee"];
  if (node.type !== "CallExpression" || !isNode(callee)) return undefined;
  const called: NodePath = { node: callee, key, parent };
  return generators.find((generator) => refersTo(generator, called))?.name;
}

/** `a.b.c` as its names; empty for any other expression. */
function pathOf(node: unknown): readonly string[] {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  if (!isNode(node) || node.type !== "MemberExpression" || node["computed"] === true) return [];
  const [object, member] = [pathOf(node["object"]), nameOf(node["property"])];
  return object.length === 0 || member === undefined ? [] : [...object, member];
}

const CONDITION = "is a condition and not yielded";
const AWAITED = "is awaited and not yielded";

/** How the value of an expression is misused; undefined if it is not. */
function useOf({ key, parent }: NodePath): string | undefined {
  if (parent === undefined) return undefined;
  switch (parent.node.type) {
    case "AwaitExpression":
      return AWAITED;
    case "ExpressionStatement":
      return "is created and not yielded";
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return key === "test" ? CONDITION : undefined;
    case "ConditionalExpression":
      return key === "test" ? CONDITION : useOf(parent);
    case "LogicalExpression":
      return key === "left" ? CONDITION : useOf(parent);
    case "UnaryExpression":
      return parent.node["operator"] === "!" ? CONDITION : undefined;
    default:
      return TYPED.has(parent.node.type) ? useOf(parent) : undefined;
  }
}

/** How the file misuses the `const` that stores an effect: awaited, or as a condition. */
function useOfStored(path: NodePath, paths: readonly NodePath[]): string | undefined {
  let { parent } = path;
  while (parent !== undefined && TYPED.has(parent.node.type)) ({ parent } = parent);
  const stored = bindingOf(parent);
  if (stored === undefined) return undefined;
  for (const one of paths) {
    const use = refersTo(stored, one) ? useOf(one) : undefined;
    if (use === CONDITION || use === AWAITED) return `is stored as ${stored.name}, which ${use}`;
  }
  return undefined;
}

/** A name that is declared once in a block. */
interface Binding {
  readonly name: string;
  readonly block: Node;
}

/** The binding of a `const` or a function; undefined if the same block declares the name again. */
function bindingOf(declaration: NodePath | undefined): Binding | undefined {
  let parent = declaration?.parent;
  const isLasting = declaration?.node.type === "FunctionDeclaration" || parent?.node["kind"] === "const";
  const name = isLasting ? nameOf(declaration?.node["id"]) : undefined;
  // `const` has a list of declarations, and `export` may stand before it.
  while (parent?.node.type.endsWith("Declaration")) ({ parent } = parent);
  if (name === undefined || parent === undefined) return undefined;
  const declared = [...declaredIn(parent.node)].filter((one) => one === name);
  return declared.length === 1 ? { name, block: parent.node } : undefined;
}

const refersTo = ({ name, block }: Binding, path: NodePath): boolean =>
  nameOf(path.node) === name && isWithin(path, block);

const isWithin = ({ parent }: NodePath, block: Node): boolean =>
  parent !== undefined && (parent.node === block || isWithin(parent, block));
