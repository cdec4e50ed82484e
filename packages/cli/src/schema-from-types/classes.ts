/** The generator methods of a default class as tools. */
import type { Class, MethodDefinition } from "oxc-parser";
import { findDeclarations, findExports } from "./declarations.ts";
import { readSignature, type Signature } from "./signature.ts";
import { type SourceFile, type SourceFiles, unsupported } from "./source-files.ts";
import { keyOf } from "./types.ts";

interface Method {
  readonly name: string;
  readonly definition: MethodDefinition;
  readonly file: SourceFile;
}

interface FoundClass {
  readonly node: Class;
  readonly file: SourceFile;
}

/** The signatures of the requested methods, without private and protected ones. */
export function readClass(
  requested: readonly string[],
  file: SourceFile,
  sources: SourceFiles,
): Readonly<Record<string, Signature>> {
  const found = classesIn(findExports("default", file, sources))[0];
  if (found === undefined)
    throw unsupported(
      file,
      { start: 0, end: 0 },
      "The class that is exported by default cannot be found; write it here",
    );
  const members = membersOf(found, sources);
  refuseParameters(found, members);
  const methods = requested.map((name) => {
    const method = members.find((member) => member.name === name && member.definition.kind === "method");
    if (method !== undefined) return method;
    throw unsupported(
      found.file,
      found.node,
      `The method ${name} is inherited from a class whose source is not at hand; write it here`,
    );
  });
  const isPublic = ({ definition: { accessibility } }: Method): boolean =>
    accessibility !== "private" && accessibility !== "protected";
  return Object.fromEntries(
    methods
      .filter(isPublic)
      .map(({ name, definition, file: home }) => [
        name,
        readSignature(definition.value, definition, home, sources),
      ]),
  );
}

const classesIn = (declarations: ReturnType<typeof findExports>): readonly FoundClass[] =>
  declarations.flatMap((found): readonly FoundClass[] => {
    if (found.in !== "file") return [];
    const { node, file } = found;
    return node.type === "ClassDeclaration" || node.type === "ClassExpression" ? [{ node, file }] : [];
  });

/** The methods with a body and the constructor, then those of the class that it extends. */
function membersOf({ node, file }: FoundClass, sources: SourceFiles): readonly Method[] {
  const own = node.body.body.flatMap((element): readonly Method[] => {
    if (element.type !== "MethodDefinition" || element.static) return [];
    const name = element.computed ? undefined : keyOf(element.key);
    // An overload has no body.
    return name === undefined || element.value.body === null ? [] : [{ name, definition: element, file }];
  });
  const { superClass } = node;
  if (superClass?.type !== "Identifier") return own;
  const [base] = classesIn(findDeclarations(superClass.name, file, sources));
  return base === undefined ? own : [...own, ...membersOf(base, sources)];
}

/** The class is constructed without arguments. */
function refuseParameters({ node }: FoundClass, members: readonly Method[]): void {
  const made = members.find(({ definition }) => definition.kind === "constructor");
  const needed = made?.definition.value.params.find((param) => {
    const inner = param.type === "TSParameterProperty" ? param.parameter : param;
    // The types of the parser know of no optional parameters.
    const { optional } = inner as { readonly optional?: boolean };
    return inner.type !== "AssignmentPattern" && inner.type !== "RestElement" && optional !== true;
  });
  if (made === undefined || needed === undefined) return;
  const name = node.id?.name ?? "that is exported by default";
  throw unsupported(
    made.file,
    needed,
    `The class ${name} is constructed without arguments; give this parameter a default, or read it inside`,
  );
}
