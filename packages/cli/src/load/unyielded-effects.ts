/**
 * What the hooks look for in the syntax of a tool file: decorators, and effects that it creates and plainly does not yield:
 * `await ask.confirm(…)`, `if (ask.confirm(…))`, and a statement `step(…);` or `emit.status(…);`.
 *
 *   1. Names that are imported from `@photon/core` count. A name that the file declares once more is left alone: which of
 *      the two is meant is not looked into.
 *   2. A call of a generator function of the same file counts as an effect: it does nothing before it is yielded. The name
 *      must be declared once in the block of that function.
 *   3. An effect that is stored in a `const` is found where that is awaited or a condition. The name must be declared once
 *      in the block of that `const`.
 *   4. An effect that is otherwise stored, returned or passed on is left alone: where it is yielded is known when it runs.
 */
import type { Program } from "oxc-parser";
import { isRecord } from "../unknown.ts";

const IMPORT = /\bimport\s+([^;"']*?)\s*from\s*["']@photon\/core["']/g;
const CALL = /(?<!\byield\s*\*?\s*)(?<![\w$.])(?:ask|emit|step|sample|roots)\b[\w.]*\s*[(<]/;

/** Whether a file is worth parsing: it imports what creates effects, and does not write `yield` before every call of it. */
export function mayForgetYield(source: string): boolean {
  const imports = [...source.matchAll(IMPORT)].map(([, names = ""]) => names);
  if (imports.length > 0 && callsGenerator(source)) return true;
  if (!imports.some((names) => /\*|\b(?:ask|emit|step|sample|roots)\b/.test(names))) return false;
  return imports.some((names) => /\*|\bas\b/.test(names)) || CALL.test(source);
}

const GENERATOR = /\bfunction\s*\*\s*([\w$]+)|([\w$]+)\s*=\s*(?:async\s+)?function\s*\*/g;

/** Whether the file calls a generator function of its own, with no `*` before its name. */
function callsGenerator(source: string): boolean {
  const names = new Set([...source.matchAll(GENERATOR)].map(([, name, named]) => name ?? named ?? ""));
  if (names.size === 0) return false;
  const calls = [...source.matchAll(/(?<!\*\s*)(?<![\w$.])([\w$]+)\s*[(<]/g)];
  return calls.some(([, name = ""]) => names.has(name));
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

/** A node, and which part it is of the node around it. */
interface Place {
  readonly node: Node;
  readonly part: string;
  readonly outer: Place | undefined;
}

/** What is imported under which name: `ask`, `step`, …, or `*` for all of it. */
type Imported = ReadonlyMap<string, string>;

/** Functions that make an effect themselves, and objects of which every function does, but for these. */
const MAKERS: ReadonlySet<string> = new Set(["step", "sample", "roots"]);
const FAMILIES: ReadonlySet<string> = new Set(["ask", "emit", "step"]);
const NO_EFFECT: ReadonlySet<string> = new Set(["ask.optional"]);

/** Expressions that say more of a type, and change nothing in the value. */
const TYPED: ReadonlySet<string> = new Set([
  "TSNonNullExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSTypeAssertion",
]);

/** The first effect in a file that it plainly does not yield. */
export function findUnyielded(program: Program): Unyielded | undefined {
  const imported = importedFromCore(program);
  for (const name of declaredIn(program)) imported.delete(name);
  const [first] = unyieldedIn([...placesIn(program)], imported);
  return first;
}

function importedFromCore(program: unknown): Map<string, string> {
  const imported = new Map<string, string>();
  for (const node of nodesIn(program)) {
    if (node.type !== "ImportDeclaration" || valueOf(node["source"]) !== "@photon/core") continue;
    for (const specifier of listOf(node["specifiers"])) {
      const local = nameOf(specifier["local"]);
      const name = specifier.type === "ImportNamespaceSpecifier" ? "*" : nameOf(specifier["imported"]);
      if (local !== undefined && name !== undefined) imported.set(local, name);
    }
  }
  return imported;
}

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
  /** Where the effect is made, as an offset in the source. */
  readonly at: number;
  /** As the author wrote it: `ask.confirm`. */
  readonly call: string;
  /** What becomes of it: "is awaited". */
  readonly how: string;
}

function* unyieldedIn(places: readonly Place[], imported: Imported): Generator<Unyielded> {
  const generators = places.flatMap((place) => generatorAt(place) ?? []);
  for (const place of places) {
    const call = madeBy(place.node, imported) ?? generatorOf(place, generators);
    const how = call === undefined ? undefined : (useOf(place) ?? useOfStored(place, places));
    if (call !== undefined && how !== undefined) yield { at: place.node.start, call, how };
  }
}

/** What an effect is made by: `ask.confirm`, `photon.step.now`. */
function madeBy(node: Node, imported: Imported): string | undefined {
  if (node.type !== "CallExpression") return undefined;
  const path = pathOf(node["callee"]);
  const [first = "", ...rest] = path;
  const meant = imported.get(first);
  if (meant === undefined) return undefined;
  const [name = "", ...members] = meant === "*" ? rest : [meant, ...rest];
  const isMaker =
    (members.length === 0 && MAKERS.has(name)) ||
    (members.length === 1 && FAMILIES.has(name) && !NO_EFFECT.has([name, ...members].join(".")));
  return isMaker ? path.join(".") : undefined;
}

/** What a generator function is called: `function* name() {}`, `const name = function* () {}`. */
const generatorAt = (place: Place): Binding | undefined =>
  place.node["generator"] === true
    ? bindingOf(place.node.type === "FunctionDeclaration" ? place : place.outer)
    : undefined;

/** The name of the generator function that a node calls. */
function generatorOf({ node, part, outer }: Place, generators: readonly Binding[]): string | undefined {
  const callee = node["callee"];
  if (node.type !== "CallExpression" || !isNode(callee)) return undefined;
  const called: Place = { node: callee, part, outer };
  return generators.find((generator) => isMeant(generator, called))?.name;
}

/** `a.b.c` as its names; none where it is anything else. */
function pathOf(node: unknown): readonly string[] {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  if (!isNode(node) || node.type !== "MemberExpression" || node["computed"] === true) return [];
  const [object, member] = [pathOf(node["object"]), nameOf(node["property"])];
  return object.length === 0 || member === undefined ? [] : [...object, member];
}

const CONDITION = "is a condition and not yielded";
const AWAITED = "is awaited and not yielded";

/** What becomes of the value of an expression, where that is nothing good. */
function useOf({ part, outer }: Place): string | undefined {
  if (outer === undefined) return undefined;
  switch (outer.node.type) {
    case "AwaitExpression":
      return AWAITED;
    case "ExpressionStatement":
      return "is made and not yielded";
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return part === "test" ? CONDITION : undefined;
    case "ConditionalExpression":
      return part === "test" ? CONDITION : useOf(outer);
    case "LogicalExpression":
      return part === "left" ? CONDITION : useOf(outer);
    case "UnaryExpression":
      return outer.node["operator"] === "!" ? CONDITION : undefined;
    default:
      return TYPED.has(outer.node.type) ? useOf(outer) : undefined;
  }
}

/** How the file misuses the `const` that stores an effect: awaited, or as a condition. */
function useOfStored(place: Place, places: readonly Place[]): string | undefined {
  let { outer } = place;
  while (outer !== undefined && TYPED.has(outer.node.type)) ({ outer } = outer);
  const stored = bindingOf(outer);
  if (stored === undefined) return undefined;
  for (const one of places) {
    const use = isMeant(stored, one) ? useOf(one) : undefined;
    if (use === CONDITION || use === AWAITED) return `is stored as ${stored.name}, which ${use}`;
  }
  return undefined;
}

/** A name that means one thing in all of a block. */
interface Binding {
  readonly name: string;
  readonly block: Node;
}

/** What a `const` or a function declares; nothing where the same block declares the name once more. */
function bindingOf(declaration: Place | undefined): Binding | undefined {
  let outer = declaration?.outer;
  const isLasting = declaration?.node.type === "FunctionDeclaration" || outer?.node["kind"] === "const";
  const name = isLasting ? nameOf(declaration?.node["id"]) : undefined;
  // `const` has a list of declarations, and `export` may stand before it.
  while (outer?.node.type.endsWith("Declaration")) ({ outer } = outer);
  if (name === undefined || outer === undefined) return undefined;
  const declared = [...declaredIn(outer.node)].filter((one) => one === name);
  return declared.length === 1 ? { name, block: outer.node } : undefined;
}

const isMeant = ({ name, block }: Binding, place: Place): boolean =>
  nameOf(place.node) === name && isWithin(place, block);

const isWithin = ({ outer }: Place, block: Node): boolean =>
  outer !== undefined && (outer.node === block || isWithin(outer, block));

function* placesIn(value: unknown, part = "", outer?: Place): Generator<Place> {
  if (Array.isArray(value)) for (const one of value) yield* placesIn(one, part, outer);
  if (!isNode(value)) return;
  const place: Place = { node: value, part, outer };
  yield place;
  for (const [name, inside] of Object.entries(value))
    if (typeof inside === "object") yield* placesIn(inside, name, place);
}

function* nodesIn(value: unknown): Generator<Node> {
  for (const { node } of placesIn(value)) yield node;
}

const isNode = (value: unknown): value is Node => isRecord(value) && typeof value["type"] === "string";

const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The name of an identifier. */
const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;

const valueOf = (node: unknown): unknown => (isNode(node) ? node["value"] : undefined);

/** Whether a file is worth parsing for decorators: it has an "@" outside of comments that does not begin the name of a package. */
export const mayDecorate = (source: string): boolean =>
  /(?<!["'`\w])@[\w$(]/.test(source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, ""));

/** Where the first decorator of a file is. */
export function findDecorator(program: Program): number | undefined {
  for (const node of nodesIn(program)) {
    const [decorator] = listOf(node["decorators"]);
    if (decorator !== undefined) return decorator.start;
  }
  return undefined;
}
