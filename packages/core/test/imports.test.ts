import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const dist = new URL("../dist/", import.meta.url).href;

/** Which scripts a fresh process has loaded, as its debugger sees them: after importing core, and after a first check. */
interface Loaded {
  readonly withCore: readonly string[];
  readonly withFirstCheck: readonly string[];
}

/** What the process runs: it makes everything there is to make, then checks one value. */
const program = (entry: string): string => `
  import { Session } from "node:inspector";
  const loaded = new Set();
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => loaded.add(params.url));
  session.post("Debugger.enable");
  loaded.clear();

  await import(${JSON.stringify(entry)});
  const { ask, parseInput, emit, tool } = await import(${JSON.stringify(`${dist}index.js`)});
  const input = { type: "object", properties: { city: { type: "string" } } };
  const book = tool({ input, async *run() { yield emit.status("Working"); } });
  ask.form("Who?", { name: ask.text("Name", { format: "email", default: "ada@a.example" }) });
  const withCore = [...loaded];
  await parseInput(book, { city: "Bonn" });
  const withFirstCheck = [...loaded].slice(withCore.length);
  console.log(JSON.stringify({ withCore, withFirstCheck }));
`;

/** Runs that in a fresh process. */
function load(entry: string): Loaded {
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program(entry)], {
    cwd: root,
    encoding: "utf8",
  });
  return JSON.parse(printed) as Loaded;
}

/** The package that a loaded file belongs to; nothing where it is core's own or was there before. */
const packageOf = (url: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];

/** What Node loads of itself in order to load a module at all. */
const isNodesOwn = (url: string): boolean => url.startsWith("node:internal/");

describe.each(["index.js", "testing/index.js"])("importing core's %s in a fresh process", (entry) => {
  const url = `${dist}${entry}`;

  it("loads nothing but core's own files", () => {
    const { withCore } = load(url);

    expect(withCore).toContain(url);
    expect(withCore.filter((one) => !one.startsWith(dist) && !isNodesOwn(one))).toEqual([]);
  });

  it("loads ajv and ajv-formats with the first check, and nothing else that core names", () => {
    const { withFirstCheck } = load(url);
    const packages = new Set(withFirstCheck.map(packageOf).filter((name) => name !== undefined));

    expect([...packages]).toEqual(expect.arrayContaining(["ajv", "ajv-formats"]));
    // The last three are ajv's own.
    const known = ["ajv", "ajv-formats", "fast-deep-equal", "fast-uri", "json-schema-traverse"];
    expect([...packages].filter((name) => !known.includes(name))).toEqual([]);
  });
});
