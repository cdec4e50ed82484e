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

/** What a client is told when a request of its own is refused. */
export interface Refusal {
  /** The name of its number, `INVALID_PARAMS`; or the HTTP status it is refused with. */
  readonly code: string | number;
  readonly sentence: string;
}

/**
 *   new RpcError(PARSE_ERROR, "The message is not JSON.")     is told by the name of its number
 *   sendError(response, 406, "Accept …")               by the status it is answered with; also `refused(406, "…")`
 */
export function refusalsIn(path: string, source: string): readonly Refusal[] {
  const told: { code: ESTree.Node | undefined; text: ESTree.Node | undefined }[] = [];
  /** What names of the file stand for. */
  const named = new Map<string, ESTree.Node>();
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init !== null) named.set(id.name, init);
    },
    NewExpression({ callee, arguments: [code, text] }) {
      if (callee.type === "Identifier" && callee.name === "RpcError") told.push({ code, text });
    },
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== "Identifier" || !/^(?:refused|sendError)$/.test(callee.name)) return;
      const [code, text] = given.slice(callee.name === "sendError" ? 1 : 0);
      told.push({ code, text });
    },
  }).visit(parseSync(path, source).program);
  const meant = (node: ESTree.Node | undefined): ESTree.Node | undefined =>
    node?.type === "Identifier" ? (named.get(node.name) ?? node) : node;
  return told.flatMap(({ code, text }) => {
    const sentences = textsOf(meant(text) ?? null);
    // One that is said elsewhere is still a refusal with its number.
    const said = sentences.length === 0 ? ["…"] : sentences;
    return codesOf(meant(code)).flatMap((one) => said.map((sentence) => ({ code: one, sentence })));
  });
}

/** The numbers that an expression can come out as, by name or as they are. */
function codesOf(node: ESTree.Node | undefined): readonly (string | number)[] {
  if (node?.type === "Identifier") return [node.name];
  if (node?.type === "ConditionalExpression") return [node.consequent, node.alternate].flatMap(codesOf);
  return node?.type === "Literal" && typeof node.value === "number" ? [node.value] : [];
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
