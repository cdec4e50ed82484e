/** Walks the syntax tree of a file, whatever its nodes are. */
import { isRecord } from "../unknown.ts";

export type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number };

/** A node, with its property name in its parent, and the path of that parent. */
export interface NodePath {
  readonly node: Node;
  readonly key: string;
  readonly parent: NodePath | undefined;
}

export function* pathsIn(value: unknown, key = "", parent?: NodePath): Generator<NodePath> {
  if (Array.isArray(value)) for (const one of value) yield* pathsIn(one, key, parent);
  if (!isNode(value)) return;
  const path: NodePath = { node: value, key, parent };
  yield path;
  for (const [name, inside] of Object.entries(value))
    if (typeof inside === "object") yield* pathsIn(inside, name, path);
}

export function* nodesIn(value: unknown): Generator<Node> {
  for (const { node } of pathsIn(value)) yield node;
}

export const isNode = (value: unknown): value is Node => isRecord(value) && typeof value["type"] === "string";

export const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The name of an identifier. */
export const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;
