/**
 * Finds effects that a file makes and plainly does not yield: `await ask.confirm(…)`, `if (ask.confirm(…))`, and a
 * statement `step(…);` or `emit.status(…);`.
 *
 *   1. Only names that are imported from `@photon/core` count. A name that the file declares once more is left alone: which of
 *      the two is meant is not looked into.
 *   2. An effect that is stored, returned or passed on is left alone: where it is yielded is known when it runs.
 */
import { parseSync } from "oxc-parser";
import { isRecord } from "../is-record.ts";

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

/** What is imported under which name: `ask`, `step`, …, or `*` for all of it. */
type Imported = ReadonlyMap<string, string>;

/** Functions that make an effect themselves, and objects of which every function does, but for these. */
const MAKERS: ReadonlySet<string> = new Set(["step", "sample", "roots"]);
const FAMILIES: ReadonlySet<string> = new Set(["ask", "emit", "step"]);
const NO_EFFECT: ReadonlySet<string> = new Set(["ask.optional"]);

/** The first effect in a file that it plainly does not yield. */
export function findUnyielded(path: string, source: string): Unyielded | undefined {
  const { program, errors } = parseSync(path, source, { preserveParens: false });
  // What does not compile is refused by the compiler.
  if (errors.length > 0) return undefined;
  const imported = importedFromCore(program);
  for (const name of declaredIn(program)) imported.delete(name);
  if (imported.size === 0) return undefined;
  const [first] = unyieldedIn(program, imported);
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

function* unyieldedIn(
  value: unknown,
  imported: Imported,
  above: readonly (readonly [node: Node, part: string])[] = [],
): Generator<Unyielded> {
  if (Array.isArray(value)) for (const one of value) yield* unyieldedIn(one, imported, above);
  if (!isNode(value)) return;
  const call = madeBy(value, imported);
  const how = call === undefined ? undefined : useOf(above);
  if (call !== undefined && how !== undefined) yield { at: value.start, call, how };
  for (const [part, inside] of Object.entries(value)) {
    if (typeof inside === "object" && inside !== null)
      yield* unyieldedIn(inside, imported, [...above, [value, part]]);
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

/** `a.b.c` as its names; none where it is anything else. */
function pathOf(node: unknown): readonly string[] {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  if (!isNode(node) || node.type !== "MemberExpression" || node["computed"] === true) return [];
  const [object, member] = [pathOf(node["object"]), nameOf(node["property"])];
  return object.length === 0 || member === undefined ? [] : [...object, member];
}

/** What becomes of the value of an expression, where that is nothing good. */
function useOf(above: readonly (readonly [node: Node, part: string])[]): string | undefined {
  const [node, part] = above.at(-1) ?? [];
  if (node === undefined || part === undefined) return undefined;
  const outer = above.slice(0, -1);
  switch (node.type) {
    case "AwaitExpression":
      return "is awaited and not yielded";
    case "ExpressionStatement":
      return "is made and not yielded";
    case "IfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return part === "test" ? "is a condition and not yielded" : undefined;
    case "ConditionalExpression":
      return part === "test" ? "is a condition and not yielded" : useOf(outer);
    case "LogicalExpression":
      return part === "left" ? "is a condition and not yielded" : useOf(outer);
    case "UnaryExpression":
      return node["operator"] === "!" ? "is a condition and not yielded" : undefined;
    case "TSNonNullExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSTypeAssertion":
      return useOf(outer);
    default:
      return undefined;
  }
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one);
  if (!isNode(value)) return;
  yield value;
  for (const inside of Object.values(value)) if (typeof inside === "object") yield* nodesIn(inside);
}

const isNode = (value: unknown): value is Node => isRecord(value) && typeof value["type"] === "string";

const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The name of an identifier. */
const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;

const valueOf = (node: unknown): unknown => (isNode(node) ? node["value"] : undefined);
