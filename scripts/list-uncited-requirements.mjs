/**
 * Lists the rows of test/requirements.ts that no test cites.
 *
 * A test cites a row by `verifies("A3", …)`, by `verifies(["A3", "B1"], …)`, or by `[A3]` in its title. A row without a
 * test is an error, except for rows of group E, which are not all built. A citation of an unknown row is an error, too.
 *
 * Usage: node scripts/list-uncited-requirements.mjs [folder of the project]
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.argv[2] ?? ".";
const manifest = join("test", "requirements.ts");

// Read as text: Node 20 cannot import TypeScript.
const rows = [...readFileSync(join(root, manifest), "utf8").matchAll(/^ {2}([A-Z]\d+):/gm)].map(
  ([, id]) => id,
);

/** @type {Set<string | undefined>} */
const cited = new Set();
/** @type {string[]} */
const unknown = [];
for (const file of testFiles()) {
  for (const id of citations(readFileSync(join(root, file), "utf8"))) {
    cited.add(id);
    if (!rows.includes(id)) unknown.push(`${file} cites ${id}, which is not a row of ${manifest}.`);
  }
}

const uncited = rows.filter((id) => !cited.has(id));
const missing = uncited.filter((id) => !id?.startsWith("E"));
console.log(`${rows.length - uncited.length} of ${rows.length} rows are cited by a test.`);
if (uncited.length > 0) console.log(`No test cites ${uncited.join(", ")}.`);
for (const id of missing) console.error(`No test cites ${id}, which needs one.`);
for (const problem of unknown) console.error(problem);
process.exitCode = rows.length === 0 || missing.length > 0 || unknown.length > 0 ? 1 : 0;

/** The TypeScript files of the test folders, without the manifest and node_modules. */
function testFiles() {
  const packages = existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")) : [];
  return ["test", ...packages.map((name) => join("packages", name, "test"))]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith(".ts") && file !== manifest && !file.includes("node_modules"))
    .toSorted();
}

/**
 * The rows that a test file cites.
 *
 * @param {string} text
 */
function citations(text) {
  const calls = text.match(/\bverifies\(\s*(?:"[^"]*"|\[[^\]]*\])/g) ?? [];
  const titles = text.match(/(?<=[\s"'`])\[[A-Z]\d+(?:, ?[A-Z]\d+)*\]/g) ?? [];
  return new Set([
    ...calls.flatMap((call) => [...call.matchAll(/"([^"]*)"/g)].map(([, id]) => id)),
    ...titles.flatMap((title) => title.match(/\w+/g) ?? []),
  ]);
}
