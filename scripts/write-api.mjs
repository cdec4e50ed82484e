/**
 * Writes docs/api: the declarations of what each package exports, with their comments.
 *
 * A page is one entry point of a package. Its sections are the groups of the index, which are headed by line comments. A type that is
 * not exported stands with the first declaration that refers to it.
 *
 * Usage: node scripts/write-api.mjs [--check] [folder of the project]     --check writes nothing, and fails if a page is stale
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { format } from "oxfmt";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseSync } from "vite";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false } },
});
const [root = fileURLToPath(new URL("..", import.meta.url))] = positionals;
const folder = join(root, "docs", "api");

const PAGES = [
  {
    page: "core.md",
    entry: "@photon/core",
    source: "packages/core/src/index.ts",
    guide:
      "[Writing tools](../writing-tools.md), [asking](../asking.md) and [errors](../errors.md) explain them.",
  },
  {
    page: "core-testing.md",
    entry: "@photon/core/testing",
    source: "packages/core/src/testing/index.ts",
    guide: "[Testing tools](../testing-tools.md) explains them.",
  },
  {
    page: "server.md",
    entry: "@photon/server",
    source: "packages/server/src/index.ts",
    guide:
      "[Serving tools](../serving.md), [durable tools](../durability.md) and [transports](../transports.md) explain them.",
  },
  {
    page: "server-sdk.md",
    entry: "@photon/server/sdk",
    source: "packages/server/src/sdk/index.ts",
    guide: "[With the MCP SDK](../sdk.md) explains them.",
  },
  {
    page: "server-store-contract.md",
    entry: "@photon/server/store-contract",
    source: "packages/server/src/stores/store-contract.ts",
    guide: "[Write a store](../durability.md#write-a-store) explains them.",
  },
];

/**
 * A declaration of a module, as `tsc` would write it into the module's `.d.ts`.
 *
 * @typedef {{ id: string, name: string, description: string, code: string, refersTo: readonly string[], isReadable: boolean }} Declaration
 *
 * What a module declares and exports. `imports` and `exports` lead to names of other modules, or of this one.
 * @typedef {{ file: string, name: string }} Origin
 * @typedef {{ declarations: Map<string, Declaration>, imports: Map<string, Origin>, exports: { name: string, origin: Origin, group: string | undefined }[] }} Module
 *
 * A node of the syntax tree, of which this script reads only some fields.
 * @typedef {{ type: string, start: number, end: number, [field: string]: unknown }} Node
 */

/** @type {Map<string, Module>} */
const modules = new Map();

/** @param {string} file @returns {Module} */
function moduleOf(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, "utf8"), { sourcemap: false });
  if (errors.length > 0) throw new Error(`${relative(root, file)}: ${errors[0]?.message}`);
  const read = readModule(file, code);
  modules.set(file, read);
  return read;
}

/** @param {string} file @param {string} code @returns {Module} */
function readModule(file, code) {
  const { program, comments } = parseSync(`${file}.d.ts`, code);
  const groups = groupsIn(file);
  /** @type {Module} */
  const module = { declarations: new Map(), imports: new Map(), exports: [] };
  let end = 0;
  // The parser's types name every kind of node; this script reads a few fields of some.
  for (const statement of /** @type {Node[]} */ (/** @type {unknown} */ (program.body))) {
    const before = comments.filter((comment) => comment.start >= end && comment.end <= statement.start);
    end = statement.end;
    const source = sourceOf(statement, file);
    const specifiers = /** @type {Node[]} */ (statement["specifiers"] ?? []);
    if (statement.type === "ImportDeclaration") {
      for (const one of specifiers) {
        if (source !== undefined && one.type === "ImportSpecifier")
          module.imports.set(nameOf(one["local"]), { file: source, name: nameOf(one["imported"]) });
      }
      continue;
    }
    for (const one of specifiers) {
      const origin = { file: source ?? file, name: nameOf(one["local"]) };
      const name = nameOf(one["exported"]);
      module.exports.push({ name, origin, group: groups.get(name) });
    }
    const isExport = statement.type === "ExportNamedDeclaration";
    const declared = /** @type {Node | null} */ (isExport ? statement["declaration"] : statement);
    if (declared === null || specifiers.length > 0 || statement.type === "ExpressionStatement") continue;
    const comment = before.findLast(({ type, value }) => type === "Block" && value.startsWith("*"));
    const text = code
      .slice(statement.start, statement.end)
      .replace(/^export /, "")
      // Without it, the declaration of a variable is not complete.
      .replace(/^declare (?!const)/, "")
      .replace(/^\s*#private;\n/m, "");
    for (const name of namesDeclaredBy(declared)) {
      const overloaded = module.declarations.get(name);
      module.declarations.set(name, {
        id: `${file}#${name}`,
        name,
        description: overloaded?.description ?? proseOf(comment?.value ?? ""),
        code: overloaded === undefined ? text : `${overloaded.code}\n${text}`,
        refersTo: [...(overloaded?.refersTo ?? []), ...referencesIn(declared)],
        isReadable: isReadable(declared),
      });
      if (isExport && overloaded === undefined)
        module.exports.push({ name, origin: { file, name }, group: undefined });
    }
  }
  return module;
}

/** The groups of the names that an index exports: the line comment above them. The declarations of a module lack such comments. @param {string} file */
function groupsIn(file) {
  const { program, comments } = parseSync(file, readFileSync(file, "utf8"));
  const headings = comments.filter(({ type }) => type === "Line");
  return new Map(
    /** @type {Node[]} */ (/** @type {unknown} */ (program.body))
      .filter(({ type }) => type === "ExportNamedDeclaration")
      .flatMap((statement) => {
        const group = headings.findLast(({ end }) => end <= statement.start)?.value.trim();
        const specifiers = /** @type {Node[]} */ (statement["specifiers"]);
        return specifiers.map((one) => /** @type {const} */ ([nameOf(one["exported"]), group]));
      }),
  );
}

/** Whether a declaration says something to a reader: a type that the compiler computes does not. @param {Node} declared */
function isReadable(declared) {
  if (declared.type !== "TSTypeAliasDeclaration")
    return /^(?:TSInterfaceDeclaration|TSDeclareFunction)$/.test(declared.type);
  const { type } = /** @type {Node} */ (declared["typeAnnotation"]);
  return type !== "TSConditionalType" && type !== "TSMappedType";
}

/** The file that a statement imports from, if it is one of the package. @param {Node} statement @param {string} file */
function sourceOf(statement, file) {
  const source = /** @type {{ value: string } | null | undefined} */ (statement["source"]);
  return source?.value.startsWith(".") === true ? join(dirname(file), source.value) : undefined;
}

/** @param {unknown} node */
const nameOf = (node) => {
  const { name, value } = /** @type {{ name?: string, value?: string }} */ (node);
  return name ?? value ?? "";
};

/** @param {Node} declared @returns {readonly string[]} */
function namesDeclaredBy(declared) {
  if (declared.type !== "VariableDeclaration") return [declared["id"] ?? []].flat().map(nameOf);
  return /** @type {Node[]} */ (declared["declarations"]).map(({ id }) => nameOf(id));
}

/** The names of types and functions that a declaration refers to. @param {unknown} node @returns {readonly string[]} */
function referencesIn(node) {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(referencesIn);
  const { type } = /** @type {Node} */ (node);
  const fields = Object.entries(node);
  const own = fields.flatMap(([field, value]) =>
    (type === "TSTypeReference" && field === "typeName") || (type === "TSTypeQuery" && field === "exprName")
      ? [nameOf(value)]
      : [],
  );
  return [...own, ...fields.flatMap(([, value]) => referencesIn(value))];
}

/** The text of a comment, its lines joined into paragraphs. @param {string} comment */
function proseOf(comment) {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*?\s?/, "").trimEnd());
  return lines.join("\n").trim();
}

/** The declaration that a name leads to, through any number of modules. @param {Origin} origin @returns {Declaration | undefined} */
function resolve({ file, name }) {
  const { declarations, imports, exports } = moduleOf(file);
  const declared = declarations.get(name);
  if (declared !== undefined) return declared;
  const next = imports.get(name) ?? exports.find((one) => one.name === name)?.origin;
  return next === undefined || (next.file === file && next.name === name) ? undefined : resolve(next);
}

const exported = PAGES.flatMap(({ source }) =>
  moduleOf(join(root, source)).exports.flatMap(({ origin }) => resolve(origin)?.id ?? []),
);

/** @param {typeof PAGES[number]} page */
async function render({ entry, source, guide }) {
  /** @type {Set<string>} */
  const shown = new Set(exported);
  const { exports } = moduleOf(join(root, source));
  const groups = [...new Set(exports.map(({ group }) => group))];
  const anchorOf = anchors();
  anchorOf(entry);
  const parts = groups.map((group) => {
    if (group !== undefined) anchorOf(group);
    const sections = exports
      .filter((one) => one.group === group)
      .map(({ name, origin }) => {
        const declaration = resolve(origin);
        if (declaration === undefined) throw new Error(`${entry} exports ${name}, which no module declares.`);
        const { id, description } = declaration;
        if (description === "")
          problems.push(`${name} of ${entry} has no description (${relative(root, id)}).`);
        const code = [declaration, ...helpersOf(declaration, shown)].map((one) => one.code).join("\n\n");
        const link = `[\`${name}\`](#${anchorOf(name)})`;
        return { link, text: `### ${name}\n\n${description}\n\n\`\`\`ts\n${code}\n\`\`\`` };
      });
    const links = sections.map(({ link }) => link).join(", ");
    return { group, links, text: sections.map(({ text }) => text).join("\n\n") };
  });
  const page = [
    `# ${entry}`,
    `What \`${entry}\` exports. ${guide}`,
    `<!-- Written by \`npm run api\` from ${source}. -->`,
    parts.map(({ group, links }) => (group === undefined ? links : `- ${group}: ${links}`)).join("\n"),
    ...parts.flatMap(({ group, text }) => (group === undefined ? [text] : [`## ${group}`, text])),
  ];
  const options = /** @type {import("oxfmt").FormatConfig} */ (
    JSON.parse(readFileSync(new URL("../.oxfmtrc.json", import.meta.url), "utf8"))
  );
  const { code, errors } = await format("page.md", `${page.join("\n\n")}\n`, options);
  if (errors.length > 0) throw new Error(`${entry}: ${errors[0]?.message}`);
  return code;
}

/** The anchors of the headings of a page, as GitHub numbers them: `prompt`, then `prompt-1`. @returns {(heading: string) => string} */
function anchors() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The types that are not exported and that a declaration refers to. @param {Declaration} declaration @param {Set<string>} shown @returns {readonly Declaration[]} */
function helpersOf({ id, refersTo }, shown) {
  const [file = ""] = id.split("#");
  return refersTo.flatMap((name) => {
    const helper = resolve({ file, name });
    if (helper === undefined || !helper.isReadable || shown.has(helper.id)) return [];
    shown.add(helper.id);
    return [helper, ...helpersOf(helper, shown)];
  });
}

/** @type {string[]} */
const problems = [];
mkdirSync(folder, { recursive: true });
for (const one of PAGES) {
  const path = join(folder, one.page);
  const text = await render(one);
  if (!values.check) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text)
    problems.push(`docs/api/${one.page} is stale: npm run api`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
