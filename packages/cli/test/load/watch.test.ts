import { EventEmitter } from "node:events";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync, type FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { run, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { Loaded } from "../../src/load/load.ts";
import { emptySnapshot, isUnchanged, readTracked } from "../../src/sources/snapshot.ts";
import { concerns, foldersToWatch, watchDefinitions, watchFolders } from "../../src/load/watch.ts";
import { temporaryProject, type TemporaryProject } from "./temporary-project.ts";

/** A queue of values, read one after another. */
class Inbox<T> {
  readonly #here: T[] = [];
  #wake: ((item: T) => void) | undefined;

  readonly put = (item: T): void => {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake === undefined) this.#here.push(item);
    else wake(item);
  };

  async next(): Promise<T> {
    // It was looked at whether there is one.
    if (this.#here.length > 0) return this.#here.shift() as T;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A project that is watched; `loaded` and `broken` are what is reported next. */
interface Watched {
  readonly first: Loaded | undefined;
  readonly loaded: () => Promise<Loaded>;
  readonly broken: () => Promise<string>;
}

async function watching({ folder }: TemporaryProject, ...paths: readonly string[]): Promise<Watched> {
  const reports = new Inbox<Loaded | Error>();
  const { first, close } = await watchDefinitions(paths, {
    cwd: folder,
    onLoaded: reports.put,
    onFailed: reports.put,
  });
  onTestFinished(close);
  return {
    first,
    async loaded(): Promise<Loaded> {
      const report = await reports.next();
      if (report instanceof Error) throw report;
      return report;
    },
    async broken(): Promise<string> {
      const report = await reports.next();
      if (report instanceof Error) return report.message;
      throw new Error("It was loaded.");
    },
  };
}

const names = ({ tools }: Loaded): readonly (string | undefined)[] => tools.map(({ name }) => name);

/** What the tool `f` returns; it asks nothing. */
async function outcome(loaded: Loaded | undefined): Promise<unknown> {
  const tool = loaded?.tools.find(({ name }) => name === "f") as Tool | undefined;
  if (tool === undefined) throw new Error("There is no f.");
  return run(tool, {}, { ask: () => ({ action: "cancel" }) });
}

const returning = (what: string): string => `export async function* f() { return ${what}; }`;

describe("a change is loaded", () => {
  it.each([
    ["of the file itself", "web.photon.ts", returning("2")],
    ["of a file that it imports", "lib/x.ts", "export const x: number = 2;"],
    ["of a file that is imported by one that it imports", "lib/y.ts", "export const y: number = 2;"],
    ["of JSON that it imports", "lib/data.json", '{ "z": 2 }'],
    ["of JavaScript that it imports", "lib/script.mjs", "export const s = 2;"],
    ["of CommonJS that it imports", "lib/common.cjs", "module.exports = 2;"],
    ["of CommonJS that is required by what it imports", "lib/inner.cjs", "module.exports = 2;"],
  ])(verifies("D6", "%s"), async (_, name, text) => {
    const folder = temporaryProject({
      "web.photon.ts": `
        import { x } from "./lib/x.ts";
        import data from "./lib/data.json";
        import { s } from "./lib/script.mjs";
        import c from "./lib/common.cjs";
        ${returning("x * data.z * s * c")}
      `,
      "lib/x.ts": 'export { y as x } from "./y";',
      "lib/y.ts": "export const y: number = 1;",
      "lib/data.json": '{ "z": 1 }',
      "lib/script.mjs": "export const s = 1;",
      "lib/common.cjs": 'module.exports = require("./inner.cjs");',
      "lib/inner.cjs": "module.exports = 1;",
    });
    const { first, loaded } = await watching(folder);
    expect(await outcome(first)).toBe(1);

    folder.write({ [name]: text });

    expect(await outcome(await loaded())).toBe(2);
    expect(await outcome(first)).toBe(1);
  });

  it("of JavaScript that Node loads as it is, and of what it imports", async () => {
    const folder = temporaryProject({
      "package.json": '{ "type": "module" }',
      "web.photon.js": `import { x } from "./x.js";\n${returning("x")}`,
      "x.js": "export const x = 1;",
    });
    const { first, loaded } = await watching(folder);
    folder.write({ "x.js": "export const x = 2;" });
    const second = await loaded();
    folder.write({ "web.photon.js": `import { x } from "./x.js";\n${returning("x + 1")}` });

    const third = await loaded();

    expect([await outcome(first), await outcome(second), await outcome(third)]).toEqual([1, 2, 3]);
  });

  it("of a file that it imported while it ran", async () => {
    const folder = temporaryProject({
      "web.photon.ts": returning('(await import(["./lib/x.ts"][0]!)).x'),
      "lib/x.ts": 'export { y as x } from "./y.ts";',
      "lib/y.ts": "export const y: number = 1;",
    });
    const { first, loaded } = await watching(folder);
    expect(await outcome(first)).toBe(1);

    folder.write({ "lib/y.ts": "export const y: number = 2;" });

    expect(await outcome(await loaded())).toBe(2);
  });

  it("of the tsconfig.json above it", async () => {
    const paths = (folder: string): string =>
      `{ "compilerOptions": { "paths": { "~/*": ["./${folder}/*"] } } }`;
    const folder = temporaryProject({
      "web.photon.ts": `import { x } from "~/x";\n${returning("x")}`,
      "tsconfig.json": paths("a"),
      "a/x.ts": "export const x: number = 1;",
      "b/x.ts": "export const x: number = 2;",
    });
    const { loaded } = await watching(folder);

    folder.write({ "tsconfig.json": paths("b") });

    expect(await outcome(await loaded())).toBe(2);
  });

  it("of CommonJS that was broken, and is no longer", async () => {
    const folder = temporaryProject({
      "web.photon.ts": `import c from "./lib/common.cjs";\n${returning("c")}`,
      "lib/common.cjs": 'module.exports = require("./inner.cjs");',
      "lib/inner.cjs": "module.exports = 1;",
    });
    const { broken, loaded } = await watching(folder);
    folder.write({ "lib/inner.cjs": "throw new Error('tea');" });
    expect(await broken()).toBe("lib/inner.cjs:1:7: Error: tea.");

    folder.write({ "lib/inner.cjs": "module.exports = 2;" });

    expect(await outcome(await loaded())).toBe(2);
  });

  it("of a type that its parameters are made of", async () => {
    const folder = temporaryProject({
      "web.photon.ts": 'import type { City } from "./types.ts";\nexport async function* f(city: City) {}',
      "types.ts": 'export type City = "Rome";',
    });
    const { loaded } = await watching(folder);

    folder.write({ "types.ts": 'export type City = "Oslo";' });

    const { tools } = await loaded();
    expect(tools[0]?.input.json.properties).toEqual({ city: { type: "string", const: "Oslo" } });
  });

  it("by an editor that puts a new file in the old one's place", async () => {
    const folder = temporaryProject({ "web.photon.ts": returning("1") });
    const { loaded } = await watching(folder);
    for (const [index, what] of ["2", "3"].entries()) {
      writeFileSync(folder.path(".web.swp"), returning(what));
      renameSync(folder.path(".web.swp"), folder.path("web.photon.ts"));
      expect(await outcome(await loaded())).toBe(index + 2);
    }
  });

  it("by a file that appears in a folder, and by one that goes", async () => {
    const folder = temporaryProject({ "tools/a.ts": "export async function* a() {}" });
    const { loaded } = await watching(folder);

    folder.write({
      "tools/b.ts": "export async function* b() {}",
      "c.photon.ts": "export async function* c() {}",
    });
    expect(names(await loaded())).toEqual(["c", "a", "b"]);

    rmSync(folder.path("tools/a.ts"));
    expect(names(await loaded())).toEqual(["c", "b"]);
  });

  it("by a folder that appears, goes, and comes back", async () => {
    const folder = temporaryProject({ "a.photon.ts": "export async function* a() {}" });
    const { loaded } = await watching(folder);
    for (let times = 0; times < 2; times++) {
      folder.write({ "tools/b.ts": "export async function* b() {}" });
      expect(names(await loaded())).toEqual(["a", "b"]);
      rmSync(folder.path("tools"), { recursive: true });
      expect(names(await loaded())).toEqual(["a"]);
    }
  });

  it("in a folder that was replaced by another one, twice", async () => {
    const folder = temporaryProject({ "tools/f.ts": returning("1") });
    const { loaded } = await watching(folder);
    for (const what of [2, 4]) {
      rmSync(folder.path("tools"), { recursive: true });
      folder.write({ "tools/f.ts": returning(String(what)) });
      expect(await outcome(await loaded())).toBe(what);
      folder.write({ "tools/f.ts": returning(String(what + 1)) });
      expect(await outcome(await loaded())).toBe(what + 1);
    }
  });

  it("by a file that a bare name means first", async () => {
    const folder = temporaryProject({ "tools/web.ts": returning("1") });
    const { loaded } = await watching(folder, "web");

    folder.write({ "web.photon.ts": returning("2") });

    expect(await outcome(await loaded())).toBe(2);
  });

  it("only where something is another: not by a touch, not by a file beside it", async () => {
    const folder = temporaryProject({ "web.photon.ts": returning("1"), "notes.ts": "1" });
    const { loaded } = await watching(folder);
    const now = new Date();
    utimesSync(folder.path("web.photon.ts"), now, now);
    folder.write({ "web.photon.ts": returning("1"), "notes.ts": "2", "new.ts": "", "readme.md": "" });
    folder.write({ "web.photon.ts": returning("2") });

    expect(await outcome(await loaded())).toBe(2);
  });
});

describe("after a change", () => {
  it(
    verifies("D6", "a run that waits for an answer continues with the code that it was started with"),
    async () => {
      const body = (version: number): string => `
      import { ask } from "@photon/core";
      import { version } from "./version.ts";
      export async function* f() { const name = yield* ask.text("Name?"); return name + version + ${version}; }
    `;
      const folder = temporaryProject({
        "web.photon.ts": body(1),
        "version.ts": "export const version: number = 1;",
      });
      const { first, loaded } = await watching(folder);
      const asked = new Inbox<(name: string) => void>();
      const running = run(
        first?.tools[0] as Tool,
        {},
        {
          ask: () =>
            new Promise((resolve) => {
              asked.put((value) => resolve({ action: "accept", value }));
            }),
        },
      );
      const answer = await asked.next();

      folder.write({ "web.photon.ts": body(2), "version.ts": "export const version: number = 2;" });
      await loaded();
      answer("Ada");

      expect(await running).toBe("Ada11");
    },
  );

  it(
    verifies("D6", "a run of the old code imports the old version of a file, also if it imports it later"),
    async () => {
      const folder = temporaryProject({
        "web.photon.ts": `
          import { ask } from "@photon/core";
          export async function* f() { return (await import("./lib/x.ts")).x; }
          export async function* g() {
            const name = yield* ask.text("Name?");
            return [name, (await import("./lib/x.ts")).x];
          }
        `,
        "lib/x.ts": "export const x: number = 1;",
      });
      const { first, loaded } = await watching(folder);
      expect(await outcome(first)).toBe(1);
      const asked = new Inbox<(name: string) => void>();
      const running = run(
        first?.tools[1] as Tool,
        {},
        {
          ask: () =>
            new Promise((resolve) => {
              asked.put((value) => resolve({ action: "accept", value }));
            }),
        },
      );
      const answer = await asked.next();

      folder.write({ "lib/x.ts": "export const x: number = 2;" });
      const second = await loaded();
      answer("Ada");

      expect(await running).toEqual(["Ada", 1]);
      expect(await outcome(second)).toBe(2);
    },
  );

  it("what changed is made anew, and what did not is still the same", async () => {
    const counting = "let count = 0;\nexport const next = (): number => ++count;";
    const folder = temporaryProject({
      "web.photon.ts": `import { next } from "./kept.ts";\nimport { next as other } from "./changed.ts";\n${returning("[next(), other()]")}`,
      "kept.ts": counting,
      "changed.ts": counting,
    });
    const { first, loaded } = await watching(folder);
    await outcome(first);

    folder.write({ "changed.ts": `${counting}\n// Changed.` });

    expect(await outcome(await loaded())).toEqual([2, 1]);
  });

  it("what is put back as it was is made anew, too", async () => {
    const counting = `let count = 0;\n${returning("++count")}`;
    const folder = temporaryProject({ "web.photon.ts": counting });
    const { first, loaded } = await watching(folder);
    await outcome(first);
    folder.write({ "web.photon.ts": returning("0") });
    await loaded();

    folder.write({ "web.photon.ts": counting });

    expect(await outcome(await loaded())).toBe(1);
    expect(await outcome(first)).toBe(2);
  });
});

describe("a change that cannot be loaded", () => {
  it(
    verifies(
      ["D5", "D6"],
      "is reported with its place, as often as it happens, and a good one is loaded again",
    ),
    async () => {
      const folder = temporaryProject({ "web.photon.ts": returning("1") });
      const { broken, loaded, first } = await watching(folder);

      for (const column of [1, 2, 3, 4, 5]) {
        folder.write({ "web.photon.ts": `${" ".repeat(column - 1)}const = 1;` });
        expect(await broken()).toBe(`web.photon.ts:1:${column + 6}: Unexpected token.`);
      }
      expect(await outcome(first)).toBe(1);

      folder.write({ "web.photon.ts": returning("2") });
      expect(await outcome(await loaded())).toBe(2);
    },
  );

  it.each([
    ["an import", 'import "./lib/deep/x.ts";\n', { "lib/deep/x.ts": "export {};" }],
    [
      "a package",
      'import "pack";\n',
      { "node_modules/pack/index.js": "", "node_modules/pack/package.json": "{}" },
    ],
  ])("for lack of %s is loaded when that is there", async (_, statement, files) => {
    const folder = temporaryProject({ "web.photon.ts": returning("1") });
    const { broken, loaded } = await watching(folder);
    folder.write({ "web.photon.ts": statement + returning("2") });
    expect(await broken()).toContain("cannot be found");

    folder.write(files);

    expect(await outcome(await loaded())).toBe(2);
  });

  it("is over when the last good text is back", async () => {
    const folder = temporaryProject({ "web.photon.ts": returning("1") });
    const { broken, loaded } = await watching(folder);
    folder.write({ "web.photon.ts": "" });
    expect(await broken()).toContain("It exports no tool");

    folder.write({ "web.photon.ts": returning("1") });

    expect(await outcome(await loaded())).toBe(1);
  });

  it("is one that the callback refuses", async () => {
    const folder = temporaryProject({ "web.photon.ts": returning("1") });
    const problems = new Inbox<Error>();
    const { close } = await watchDefinitions([], {
      cwd: folder.folder,
      onLoaded() {
        throw new Error("No room.");
      },
      onFailed: problems.put,
    });
    onTestFinished(close);

    folder.write({ "web.photon.ts": returning("2") });

    expect((await problems.next()).message).toBe("No room.");
  });

  it("is reported once, also where files after it were not reached", async () => {
    const folder = temporaryProject({
      "a.photon.ts": "export async function* a() {}",
      "b.photon.ts": "export async function* b(x: string) {}",
    });
    const { broken, loaded } = await watching(folder);
    folder.write({ "a.photon.ts": "const = 1;", "b.photon.ts": "export async function* b(y: string) {}" });
    expect(await broken()).toBe("a.photon.ts:1:7: Unexpected token.");

    folder.write({ "a.photon.ts": "export async function* a2() {}" });

    expect(names(await loaded())).toEqual(["a2", "b"]);
  });

  it("is followed by the next, also if the callback throws", async () => {
    const folder = temporaryProject({ "web.photon.ts": returning("1") });
    const reports = new Inbox<string>();
    const { close } = await watchDefinitions([], {
      cwd: folder.folder,
      onLoaded: () => reports.put("loaded"),
      onFailed({ message }) {
        reports.put(message);
        if (message.includes("Unexpected token")) throw new Error("The callback failed.");
      },
    });
    onTestFinished(close);

    folder.write({ "web.photon.ts": "const = 1;" });
    expect(await reports.next()).toContain("Unexpected token");
    expect(await reports.next()).toBe("The callback failed.");
    folder.write({ "web.photon.ts": returning("2") });

    expect(await reports.next()).toBe("loaded");
  });

  it("may be the first: a good one is loaded when it is there", async () => {
    const folder = temporaryProject({ "web.photon.ts": "const = 1;" });
    const { first, broken, loaded } = await watching(folder);
    expect(first).toBeUndefined();
    expect(await broken()).toBe("web.photon.ts:1:7: Unexpected token.");

    folder.write({ "web.photon.ts": returning("1") });

    expect(await outcome(await loaded())).toBe(1);
  });

  it("is an error at once where there is no tool file", async () => {
    await expect(watching(temporaryProject())).rejects.toThrow("No tools found");
  });
});

describe("what is watched", () => {
  it("is the folders of files, and the nearest one above a folder that is not there", () => {
    const { folder, path } = temporaryProject({ "lib/x.ts": "" });
    const seen = emptySnapshot();
    seen.files.set(path("lib/x.ts"), "");
    seen.files.set(path("no/such/file.ts"), undefined);
    seen.folders.set(path("tools"), "");

    expect(foldersToWatch(seen)).toEqual(new Set([path("lib"), folder]));
  });

  it.each([
    ["lib/x.ts", true],
    ["no", true],
    ["no/such", true],
    ["tools", true],
    ["tools/new.ts", true],
    ["tools/readme.md", false],
    ["lib/y.ts", false],
    ["nowhere", false],
  ])("counts where it can make a difference: %s", (name, counts) => {
    const { path } = temporaryProject();
    const seen = emptySnapshot();
    seen.files.set(path("lib/x.ts"), "");
    seen.files.set(path("no/such/file.ts"), undefined);
    seen.folders.set(path("tools"), "");

    expect(concerns(path(name), seen)).toBe(counts);
  });

  it("is compared with what was read first, however often it is read in one load", () => {
    const folder = temporaryProject({ "x.ts": "1" });
    const seen = emptySnapshot();
    readTracked(folder.path("x.ts"), seen);
    folder.write({ "x.ts": "2" });

    expect(readTracked(folder.path("x.ts"), seen)).toBe("1");
    expect(isUnchanged(seen)).toBe(false);
  });
});

describe("a folder that the system does not tell of", () => {
  it.each([
    [
      "because it refuses to",
      false,
      (): FSWatcher => {
        throw new Error("ENOSPC: System limit for number of file watchers reached");
      },
    ],
    [
      "because it stops to",
      true,
      (): FSWatcher => {
        const watcher = Object.assign(new EventEmitter(), { close() {} });
        setImmediate(() => watcher.emit("error", new Error("EPERM: operation not permitted, watch")));
        // What is used of it.
        return watcher as unknown as FSWatcher;
      },
    ],
  ])("is looked at again and again, %s", async (_, hasStopped, refuse) => {
    const folder = temporaryProject({ "a.ts": "1" });
    const changes = new Inbox<string | undefined>();
    const folders = watchFolders(changes.put, refuse);
    onTestFinished(() => folders.close());
    folders.set(new Set([folder.folder]));
    // The changes in between are not known, so the path is undefined.
    if (hasStopped) await changes.next();

    folder.write({ "b.ts": "1" });
    expect(await changes.next()).toBe(folder.path("b.ts"));
    rmSync(folder.path("a.ts"));
    expect(await changes.next()).toBe(folder.path("a.ts"));
    mkdirSync(dirname(folder.path("sub/c.ts")));
    expect(await changes.next()).toBe(folder.path("sub"));
  });
});
