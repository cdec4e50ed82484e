/** Where a module imports what. */
export interface Import {
  /** `computed` is an `import(…)` of something only known when it runs. */
  readonly kind: "static" | "dynamic" | "computed";
  /** Nothing where it is computed. */
  readonly specifier?: string;
  /** The whole of it: for a static one the text after `from`, with quotes and attributes. */
  readonly start: number;
  readonly end: number;
  /** Where the specifier ends; attributes may follow. */
  readonly specifierEnd: number;
}

export interface Imports {
  readonly imports: readonly Import[];
  readonly hasMeta: boolean;
  readonly isModule: boolean;
}

/** What a JavaScript module imports, in the order it is written. */
export async function findImports(code: string): Promise<Imports> {
  const { init, parse } = await import("es-module-lexer");
  await init();
  try {
    const [found, , , isModule] = parse(code);
    const imports = found.flatMap((one): readonly Import[] => {
      if (one.type === "import-meta") return [];
      if (one.type !== "dynamic") {
        const { specifier, start, end, importEnd, attributesStart } = one;
        const specifierEnd = end + 1;
        const whole = attributesStart < 0 ? specifierEnd : importEnd;
        return [{ kind: "static", specifier, start: start - 1, end: whole, specifierEnd }];
      }
      const { specifier, glob, importStart, importEnd, end } = one;
      return specifier === undefined || glob
        ? [{ kind: "computed", start: importStart, end: importStart + "import".length, specifierEnd: end }]
        : [{ kind: "dynamic", specifier, start: importStart, end: importEnd, specifierEnd: end }];
    });
    return { imports, hasMeta: found.some(({ type }) => type === "import-meta"), isModule };
  } catch {
    // Not a program: Node says so when it loads it, and better than a lexer could.
    return { imports: [], hasMeta: false, isModule: true };
  }
}
