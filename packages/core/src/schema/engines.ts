/** ajv, as values are checked with it. Loaded with the first check. */
import type { Ajv, FuncKeywordDefinition } from "ajv";
import { canonical } from "../json.ts";
import { inTime } from "./in-time.ts";
import { problemOf } from "./problem.ts";

export interface Engines {
  readonly current: Engine;
  readonly draft7: Engine;
  readonly isCostly: typeof isCostly;
  readonly inTime: typeof inTime;
  readonly problemOf: typeof problemOf;
}

interface Engine {
  /** Finds all errors. */
  readonly all: Ajv;
  /** Finds the first error. */
  readonly first: Ajv;
}

/** A pattern that takes no time to speak of on a short text: it has no groups, and repeats one thing at most. */
const SIMPLE = /^[^(*+{?]*[*+{?]?[^(*+{?]*$/;

/** Whether a small value may take long to check: by a pattern, or because the schema refers to itself. */
function isCostly(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]: [string, unknown]) => {
    if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(keyword)) return true;
    if (keyword === "pattern" && typeof value === "string") return !SIMPLE.test(value);
    const isByPattern = keyword === "patternProperties" && typeof value === "object" && value !== null;
    return (isByPattern && !Object.keys(value).every((name) => SIMPLE.test(name))) || isCostly(value);
  });
}

export async function loadEngines(): Promise<Engines> {
  const [draft7, current, formats] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
  ]);
  const options = {
    verbose: true,
    // Unknown keywords (`x-…`, `enumNames`) are annotations, and nothing is printed about them.
    strict: false,
    logger: false,
    // NaN is no number, and what every object inherits is no property of a value.
    strictNumbers: true,
    ownProperties: true,
    addUsedSchema: false,
  } as const;
  const prepare = (engine: Ajv): Ajv => {
    formats.default.default(engine);
    return engine.removeKeyword("uniqueItems").addKeyword(uniqueItems);
  };
  const engineOf = (create: (more: { readonly allErrors: boolean }) => Ajv): Engine => {
    let first: Ajv | undefined;
    return {
      // A person is told everything at once, in sentences made from the schema.
      all: prepare(create({ allErrors: true })),
      get first() {
        return (first ??= prepare(create({ allErrors: false })));
      },
    };
  };
  return {
    inTime,
    isCostly,
    problemOf,
    current: engineOf((more) => new current.Ajv2020({ ...options, ...more })),
    draft7: engineOf((more) => new draft7.Ajv({ ...options, ...more })),
  };
}

/** ajv compares every item with every other, which a long list makes last for minutes. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  validate: (isWanted: boolean, items: readonly unknown[]) =>
    !isWanted || new Set(items.map(canonical)).size === items.length,
};
