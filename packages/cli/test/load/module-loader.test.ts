/** What only shows in a process of its own: the built loader, as the command starts it. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { temporaryProject, type TemporaryProject } from "./temporary-project.ts";

const dist = (path: string): string => new URL(`../../dist/${path}`, import.meta.url).href;
const core = new URL("../../../core/dist/index.js", import.meta.url).href;

/** Runs code in a new process that has `load()` and `run(tool, input)`; gives what it says. */
async function inProcess(
  { folder, cache }: TemporaryProject,
  code: string,
  env: object = {},
): Promise<string> {
  const prelude = `
    import { loadDefinitions } from ${JSON.stringify(dist("load/load.js"))};
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

/** Says what the first tool returns. */
const runFirst = "const { tools: [tool] } = await load();\nsay(await run(tool));";

/** A project where nothing is installed. */
function bare(files: Readonly<Record<string, string>>): TemporaryProject {
  const made = temporaryProject(files);
  rmSync(made.path("node_modules"), { recursive: true });
  return made;
}

const tool =
  'import { tool } from "@photon/core";\nexport const f = tool({ async *run() { return "done"; } });';

describe("in a process", { timeout: 30_000 }, () => {
  it(
    verifies("D1", "a lone TypeScript file runs where nothing is installed, with our copy of core"),
    async () => {
      expect(await inProcess(bare({ "web.photon.ts": tool }), runFirst)).toBe("done");
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

  it("leaves nothing behind: not in the temporaryProject, not in a cache", async () => {
    const folder = temporaryProject({ "web.photon.ts": tool });
    await inProcess(folder, runFirst);

    expect(readdirSync(folder.folder).toSorted()).toEqual(["node_modules", "web.photon.ts"]);
    expect(existsSync(folder.cache)).toBe(false);
  });

  it(verifies("D5", "an error in a tool points to its line in the source"), async () => {
    const folder = temporaryProject({
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
    const made = temporaryProject({
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
    const folder = temporaryProject({
      "web.photon.ts": "type A = 1;\n\nexport async function* f() {\n  throw new Error('tea');\n}",
    });
    const code =
      "const { tools: [tool] } = await load();\ntry { await run(tool); } catch (error) { say(error.stack); }";

    const said = await inProcess(folder, code, { NODE_OPTIONS: "--enable-source-maps" });

    expect(said).toContain(`${folder.path("web.photon.ts")}:4:9`);
  });

  it("CommonJS that throws is an error with its location, and does not end the process", async () => {
    const folder = temporaryProject({
      "web.photon.ts": 'import a from "./a.cjs";\nexport async function* f() { return a; }',
      "a.cjs": "\nthrow new RangeError('tea');",
    });
    const code = "await load().catch((error) => say(error.message));\nsetTimeout(() => say('alive'));";

    expect(await inProcess(folder, code)).toBe("a.cjs:2:7: RangeError: tea.\nalive");
  });

  it("an error in linked JavaScript points to its line as well", async () => {
    const folder = temporaryProject({
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
    const { watchDefinitions } = await import(${JSON.stringify(dist("load/watch.js"))});
    const watch = (onLoaded) => watchDefinitions([], { cwd: process.cwd(), onLoaded, onFailed: say });
  `;

  it("ends by itself once it is told to stop, even in the middle of a load", async () => {
    const folder = temporaryProject({ "web.photon.ts": "export async function* f() {}" });
    const code = `${watching}
      import { writeFileSync } from "node:fs";
      const { close } = await watch(async () => { say("loaded"); await close(); say("closed"); });
      writeFileSync("web.photon.ts", "export async function* g() {}");
    `;

    expect(await inProcess(folder, code)).toBe("loaded\nclosed");
  });

  it("ends by itself where there is nothing to watch", async () => {
    const code = `${watching}\nawait watch(say).catch((error) => say(error.code));`;

    expect(await inProcess(temporaryProject(), code)).toBe("CANNOT_LOAD");
  });
});
