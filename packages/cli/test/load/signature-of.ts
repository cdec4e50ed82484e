/** What is derived from a piece of source, and what it lets through. */
import { parseInput, tool } from "@photon/core";
import { emptySnapshot } from "../../src/sources/snapshot.ts";
import { schemaFromTypes } from "../../src/schema-from-types/index.ts";
import type { Signature } from "../../src/schema-from-types/signature.ts";
import { temporaryProject } from "./temporary-project.ts";

/** The signature of the generator `f` that a file exports; other files may lie beside it. */
export function signatureOf(
  source: string,
  others: Readonly<Record<string, string>> = {},
  name = "tool.ts",
): Signature {
  const snapshot = emptySnapshot();
  // A file alone need not be on disk: it was read already.
  const path = Object.keys(others).length === 0 ? `/project/${name}` : temporaryProject(others).path(name);
  snapshot.files.set(path, source);
  const { functions } = schemaFromTypes(path, { functions: ["f"], methods: [] }, snapshot);
  const { f } = functions;
  if (f === undefined) throw new Error("There is no f.");
  return f;
}

/** The schema of one parameter `x` of a type. */
export function schemaOfType(
  type: string,
  declarations = "",
  others: Readonly<Record<string, string>> = {},
): unknown {
  const source = `${declarations}\nexport async function* f(x: ${type}, other: boolean) {}`;
  return signatureOf(source, others).input.properties?.["x"];
}

/** Whether a tool with such an input takes a value. */
export async function takes({ input }: Signature, value: unknown): Promise<boolean> {
  const checked = tool({ input, async *run() {} });
  try {
    await parseInput(checked, value);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "InvalidInput") return false;
    throw error;
  }
}
