/** What only shows in a process of its own: the built loader, as the command starts it. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { project, type Project } from "./project.ts";

const dist = (path: string): string => new URL(`../../dist/${path}`, import.meta.url).href;
const core = new URL("../../../core/dist/index.js", import.meta.url).href;

/** Runs code in a new process that has `load()` and `run(tool, input)`; gives what it says. */
async function inProcess({ folder, cache }: Project, code: string, env: object = {}): Promise<string> {
  const prelude = `
    import { loadDefinitions } from ${JSON.stringify(dist("load/load-definitions.js"))};
    import { run as start } from ${JSON.stringify(core)};
    const load = () => loadDefinitions([], { cwd: process.cwd() });
    const run = (tool, input = {}) => start(tool, input, { ask: () => ({ action: "cancel" }) });
    const say = (value) => process.stdout.write(String(value) + "\\n");
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", prelude + code],
    {
      cwd: folder,
      env: { PATH: process.env["PATH"], XDG_CACHE_HOME: join(cache, ".."), ...env },
    },
  );
  return stdout.trimEnd();
}

/** Says what the first tool returns, and which parts of the loader were needed: both are addons. */
const runFirst = `
  const opened = [];
  const { dlopen } = process;
  process.dlopen = (module, path, ...rest) => { opened.push(path); return dlopen.call(process, module, path, ...rest); };
  const { tools: [tool] } = await load();
  say(await run(tool));
  say(opened.some((path) => path.includes("oxc-transform")) ? "compiled" : "not compiled");
  say(opened.some((path) => path.includes("oxc-parser")) ? "parsed" : "not parsed");
`;

/** A project where nothing is installed. */
function bare(files: Readonly<Record<string, string>>): Project {
  const made = project(files);
  rmSync(made.path("node_modules"), { recursive: true });
  return made;
}

const tool =
  'import { tool } from "@photon/core";\nexport const f = tool({ async *run() { return "done"; } });';

describe("in a process", { timeout: 30_000 }, () => {
  it(
    verifies("D1", "a lone TypeScript file runs where nothing is installed, with our copy of core"),
    async () => {
      expect(await inProcess(bare({ "web.photon.ts": tool }), runFirst)).toBe("done\ncompiled\nnot parsed");
    },
  );

  it("a lone file shares its core with the command", async () => {
    const source =
      'import * as core from "@photon/core";\nexport const f = core.tool({ async *run() { return core; } });';
    const said = await inProcess(
      bare({ "web.photon.mts": source }),
      `const { tools: [tool] } = await load();
       const body = tool.run({}, {});
       const { value } = await body.next();
       say(value.tool === (await import(${JSON.stringify(core)})).tool);`,
    );

    expect(said).toBe("true");
  });

  it.each(["web.photon.js", "web.photon.mjs"])(
    "JavaScript needs neither the compiler nor the parser: %s",
    async (name) => {
      const said = await inProcess(
        project({ [name]: tool, "package.json": '{ "type": "module" }' }),
        runFirst,
      );

      expect(said.split("\n")).toEqual(["done", "not compiled", "not parsed"]);
    },
  );

  it("only bare generators need the parser, and only once", async () => {
    const folder = project({ "web.photon.mjs": "export async function* f() { return 'done'; }" });

    expect(await inProcess(folder, runFirst)).toBe("done\nnot compiled\nparsed");
    expect(await inProcess(folder, runFirst)).toBe("done\nnot compiled\nnot parsed");
  });

  it(verifies("D5", "an error in a tool points to its line in the source"), async () => {
    const folder = project({
      "web.photon.ts": `
        import { fail } from "./lib/fail";

        interface Unused { a: string }
        export async function* f() {
          await Promise.resolve();
          fail("tea" as string);
        }
      `,
      "lib/fail.ts":
        "type A = 1;\n\n\nexport const fail = (what: string): never => {\n  throw new TypeError(what);\n};\n",
    });
    const code =
      "const { tools: [tool] } = await load();\ntry { await run(tool); } catch (error) { say(error.stack); }";

    const [head, first, second] = (await inProcess(folder, code)).split("\n");

    expect(head).toBe("TypeError: tea");
    expect(first).toBe(`    at fail (${folder.path("lib/fail.ts")}:5:9)`);
    expect(second).toContain(`at f (${folder.path("web.photon.ts")}:7:11)`);
  });

  it("folders may be called anything", async () => {
    const odd = "my #1 (100%25) töols?";
    const made = project({
      [`${odd}/web.photon.ts`]:
        'import { x } from "./lib/ä b";\nexport async function* f() {\n  throw new Error(x + import.meta.url);\n}',
      [`${odd}/lib/ä b.ts`]: 'export const x: string = "in ";',
      [`${odd}/cache/.keep`]: "",
    });
    const folder = { ...made, folder: made.path(odd), cache: made.path(`${odd}/cache/photon`) };
    const code =
      "const { tools: [tool] } = await load();\ntry { await run(tool); } catch (error) { say(error.stack); }";

    const [head, first] = (await inProcess(folder, code)).split("\n");

    expect(head).toBe(`Error: in ${pathToFileURL(made.path(`${odd}/web.photon.ts`)).href}`);
    expect(first).toBe(`    at f (${made.path(`${odd}/web.photon.ts`)}:3:9)`);
  });

  it("an error points to the source where Node itself maps stacks, too", async () => {
    const folder = project({
      "web.photon.ts": "type A = 1;\n\nexport async function* f() {\n  throw new Error('tea');\n}",
    });
    const code =
      "const { tools: [tool] } = await load();\ntry { await run(tool); } catch (error) { say(error.stack); }";

    const said = await inProcess(folder, code, { NODE_OPTIONS: "--enable-source-maps" });

    expect(said).toContain(`${folder.path("web.photon.ts")}:4:9`);
  });

  it("an error in linked JavaScript points to its line as well", async () => {
    const folder = project({
      "web.photon.js":
        'import data from "./data.json";\n\nexport async function* f() {\n  throw new Error(data);\n}',
      "data.json": '"tea"',
    });
    const code =
      "const { tools: [tool] } = await load();\ntry { await run(tool); } catch (error) { say(error.stack); }";

    expect(await inProcess(folder, code)).toContain(`at f (${folder.path("web.photon.js")}:4:9)`);
  });
});

describe("a process that watches", { timeout: 30_000 }, () => {
  const watching = `
    const { watchDefinitions } = await import(${JSON.stringify(dist("load/watch-definitions.js"))});
    const watch = (onLoaded) => watchDefinitions([], { cwd: process.cwd(), onLoaded, onBroken: say });
  `;

  it("ends by itself once it is told to stop, even in the middle of a load", async () => {
    const folder = project({ "web.photon.ts": "export async function* f() {}" });
    const code = `${watching}
      import { writeFileSync } from "node:fs";
      const { close } = await watch(async () => { say("loaded"); await close(); say("closed"); });
      writeFileSync("web.photon.ts", "export async function* g() {}");
    `;

    expect(await inProcess(folder, code)).toBe("loaded\nclosed");
  });

  it("ends by itself where there is nothing to watch", async () => {
    const code = `${watching}\nawait watch(say).catch((error) => say(error.code));`;

    expect(await inProcess(project(), code)).toBe("CANNOT_LOAD");
  });
});

describe("what was compiled is kept", { timeout: 30_000 }, () => {
  const files = {
    "web.photon.ts": 'import { x } from "./x.ts";\nexport async function* f() { return x; }',
    "x.ts": "export const x: number = 1;",
  };

  it("for the next process, which compiles nothing", async () => {
    const folder = project(files);

    expect(await inProcess(folder, runFirst)).toBe("1\ncompiled\nparsed");
    expect(await inProcess(folder, runFirst)).toBe("1\nnot compiled\nnot parsed");
  });

  it.each([
    ["web.photon.ts", "return x;", "return x + 41;", "42\ncompiled\nparsed"],
    ["x.ts", "= 1", "= 42", "42\ncompiled\nnot parsed"],
  ] as const)("but never past a change: of %s", async (name, was, is, expected) => {
    const folder = project(files);
    await inProcess(folder, runFirst);
    const before = new Date("2020-01-01");
    folder.write({ [name]: files[name].replace(was, is) });
    // As old as it was: a clock proves nothing.
    utimesSync(folder.path(name), before, before);

    expect(await inProcess(folder, runFirst)).toBe(expected);
  });

  it("but never past a file that comes first now", async () => {
    const folder = project({
      "web.photon.ts": 'import { x } from "./x";\nexport async function* f() { return x; }',
      "x.js": "export const x = 1;",
    });
    await inProcess(folder, runFirst);
    folder.write({ "x.ts": "export const x: number = 42;" });

    expect(await inProcess(folder, runFirst)).toMatch(/^42\n/);
  });

  it("but never past a package that was moved", async () => {
    const web = 'import { x } from "pack";\nexport async function* f() { return x; }';
    const folder = project({ "app/tools/web.ts": web, "node_modules/pack/index.js": "exports.x = 1;" });
    const inApp = { ...folder, folder: folder.path("app") };
    await inProcess(inApp, runFirst);
    folder.write({ "app/node_modules/pack/index.js": "exports.x = 42;" });

    expect(await inProcess(inApp, runFirst)).toMatch(/^42\n/);
  });

  it("but never past a type that its parameters are made of", async () => {
    const folder = project({
      "web.photon.ts": 'import type { City } from "./types.ts";\nexport async function* f(city: City) {}',
      "types.ts": 'export type City = "Rome";',
    });
    const code =
      "const { tools: [tool] } = await load();\nsay(JSON.stringify(tool.input.json.properties.city));";
    await inProcess(folder, code);
    folder.write({ "types.ts": 'export type City = "Oslo";' });

    expect(await inProcess(folder, code)).toBe('{"type":"string","const":"Oslo"}');
  });

  it("and made anew where an entry was cut short", async () => {
    const folder = project(files);
    await inProcess(folder, runFirst);
    for (const name of readdirSync(folder.cache)) {
      const path = join(folder.cache, name);
      writeFileSync(path, readFileSync(path, "utf8").slice(0, 20));
    }

    expect(await inProcess(folder, runFirst)).toBe("1\ncompiled\nparsed");
  });

  it("whole, however many processes start at once", async () => {
    const folder = project(files);

    const said = await Promise.all(Array.from({ length: 6 }, () => inProcess(folder, runFirst)));

    expect(said.map((text) => text.split("\n")[0])).toEqual(["1", "1", "1", "1", "1", "1"]);
    expect(readdirSync(folder.cache).filter((name) => name.endsWith(".unfinished"))).toEqual([]);
  });

  it("for one process only where the cache is not ours alone", async () => {
    const folder = project(files);
    mkdirSync(folder.cache, { recursive: true, mode: 0o777 });
    await promisify(execFile)("chmod", ["777", folder.cache]);

    expect(await inProcess(folder, runFirst)).toBe("1\ncompiled\nparsed");
    expect(readdirSync(folder.cache)).toEqual([]);
  });

  it("nowhere in the project", async () => {
    const folder = project(files);
    await inProcess(folder, runFirst);

    expect(readdirSync(folder.folder).toSorted()).toEqual(["node_modules", "web.photon.ts", "x.ts"]);
  });
});
