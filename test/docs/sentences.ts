/**
 * What the errors of a source say, read from it: every sentence, with "…" for what is different each time.
 *
 *   class PortTaken … { constructor(port) { super(`Port ${port} is taken.`) } }    says "Port … is taken."
 *   new RunCancelled("The session was closed.")                                    says what it is given
 */
import { parseSync, Visitor, type ESTree } from "vite";

export interface Said {
  /** The class of the error. */
  readonly by: string;
  /** Whether its class says so, whoever makes it; else it is said by whoever makes this one. */
  readonly isItsOwn: boolean;
  readonly sentence: string;
}

export function sentencesIn(path: string, source: string): readonly Said[] {
  const said: Said[] = [];
  const tell = (by: string, isItsOwn: boolean, given: readonly (ESTree.Node | null)[]): void => {
    for (const sentence of given.flatMap(textsOf)) said.push({ by, isItsOwn, sentence });
  };
  let within = "";
  new Visitor({
    ClassDeclaration: ({ id }) => void (within = id?.name ?? ""),
    "ClassDeclaration:exit": () => void (within = ""),
    MethodDefinition({ kind, value }) {
      if (kind !== "constructor") return;
      // What it says where it is given nothing.
      const defaults = value.params.flatMap((one) => (one.type === "AssignmentPattern" ? [one.right] : []));
      tell(within, false, defaults);
    },
    CallExpression({ callee, arguments: given }) {
      if (callee.type === "Super") tell(within, true, given);
    },
    NewExpression({ callee, arguments: given }) {
      if (callee.type === "Identifier") tell(callee.name, false, given.slice(0, 1));
    },
  }).visit(parseSync(path, source).program);
  return said;
}

/** The texts that an expression can come out as. */
function textsOf(node: ESTree.Node | null): readonly string[] {
  switch (node?.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "TemplateLiteral":
      return [node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…")];
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap(textsOf);
    case "LogicalExpression":
      return [node.left, node.right].flatMap(textsOf);
    default:
      return [];
  }
}
