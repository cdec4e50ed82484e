/** A file that creates an effect and certainly does not yield it is refused when it is loaded. */
import { describe, expect, it } from "vitest";
import { loadDefinitions } from "../../src/load/load.ts";
import { mayForgetYield } from "../../src/load/unyielded-effects.ts";
import { temporaryProject } from "./temporary-project.ts";

const HEAD = `import { ask, emit, roots, sample, step, tool } from "@photon/core";


`;
/** The same, with an effect that is stored: a file in which `yield` stands before every effect is not parsed. */
const STORED = HEAD.replace("\n\n", '\nconst LATER = ask.text("Later?");\n');
const RENAMED = `import * as photon from "@photon/core";
import { ask as question, tool } from "@photon/core";

`;

/** A file whose tool has this body, which begins in line 5. */
const fileOf = (
  body: string,
  head = HEAD,
): string => `${head}export const it = tool({ async *run(input: any) {
  ${body}
} });`;

async function load(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder } = temporaryProject(files);
  return loadDefinitions(["it.ts"], { cwd: folder }).then(
    () => "loaded",
    (error: unknown) => String(error),
  );
}

describe("a tool file is refused, with the place and what to write, where an effect", () => {
  it.each<[string, string, string, string]>([
    ["is awaited", 'if (await ask.confirm("Delete?")) return 1;', "5:13", "yield* ask.confirm(…)"],
    ["is awaited and stored", 'const name = await ask.text("Name?");', "5:22", "yield* ask.text(…)"],
    ["is a condition", 'if (ask.confirm("Delete?")) return 1;', "5:7", "yield* ask.confirm(…)"],
    ["is a negated condition", 'if (!ask.confirm("Delete?")) return 1;', "5:8", "yield* ask.confirm(…)"],
    ["is part of a condition", 'if (input.x && ask.confirm("?")) return 1;', "5:18", "yield* ask.confirm(…)"],
    ["chooses a value", 'return ask.confirm("?") ? 1 : 2;', "5:10", "yield* ask.confirm(…)"],
    ["guards a value", 'return ask.confirm("?") && 1;', "5:10", "yield* ask.confirm(…)"],
    ["is a loop's condition", 'while (ask.confirm("Again?")) input.x++;', "5:10", "yield* ask.confirm(…)"],
    ["is a statement", 'step("save", () => 1);', "5:3", "yield* step(…)"],
    ["is an emit", 'emit.status("Working");', "5:3", "yield emit.status(…)"],
    ["is an emit after a condition", 'input.x && emit.status("Working");', "5:14", "yield emit.status(…)"],
    ["is a recorded time", "step.now();", "5:3", "yield* step.now(…)"],
    ["is a request to the model", 'await sample("Hello");', "5:9", "yield* sample(…)"],
    ["is a request for roots", "roots();", "5:3", "yield* roots(…)"],
    [
      "is stored, and a condition",
      'const a = ask.confirm("?"); if (a) return 1;',
      "5:13",
      "yield* ask.confirm(…)",
    ],
    ["is stored, and negated", 'const a = ask.confirm("?"); return !a;', "5:13", "yield* ask.confirm(…)"],
    [
      "is stored, and chooses",
      'const a = ask.confirm("?"); return a ? 1 : 2;',
      "5:13",
      "yield* ask.confirm(…)",
    ],
    ["is stored, and guards", 'const a = ask.confirm("?"); return a && 1;', "5:13", "yield* ask.confirm(…)"],
    [
      "is stored, and loops",
      'const a = ask.confirm("?"); while (a) input.x++;',
      "5:13",
      "yield* ask.confirm(…)",
    ],
    [
      "is stored, and awaited",
      'const a = ask.confirm("?"); return await a;',
      "5:13",
      "yield* ask.confirm(…)",
    ],
    [
      "is stored under a name that means something else in another block",
      'const a = ask.confirm("?"); if (a) return 1; } }); export const other = tool({ async *run() { const a = yield* ask.confirm("?"); if (a) return 1;',
      "5:13",
      "yield* ask.confirm(…)",
    ],
    ["stands behind letters of several bytes", '"äöü"; ask.text("Name?");', "5:10", "yield* ask.text(…)"],
  ])("%s", async (_, body, place, remedy) => {
    const said = await load({ "it.ts": fileOf(body) });

    expect(said).toContain(`it.ts:${place}: `);
    expect(said).toContain(remedy);
  });

  it.each(["question.text", "photon.ask.text", "photon.step"])("goes by another name: %s", async (name) => {
    const said = await load({ "it.ts": fileOf(`await ${name}("Name?", () => 1);`, RENAMED) });

    expect(said).toContain("it.ts:5:9: ");
    expect(said).toContain(`yield* ${name}(…)`);
  });

  it("is in a file that it imports, or in JavaScript", async () => {
    const helper =
      'import { ask } from "@photon/core";\nexport async function sure() { return await ask.confirm("?"); }\n';

    expect(await load({ "it.ts": `import "./helper.js";\n${fileOf("")}`, "helper.js": helper })).toContain(
      "helper.js:2:45: ",
    );
  });
});

describe("a tool file is refused where a generator function of its own", () => {
  const SURE = 'async function* isSure() { return yield* ask.confirm("?"); }';

  it.each<[string, string, string]>([
    ["is a condition", "if (isSure()) return 1;", "7:5"],
    ["is a negated condition", "if (!isSure()) return 1;", "7:6"],
    ["is stored, and a condition", "const sure = isSure(); if (sure) return 1;", "7:14"],
    ["is a statement", "isSure();", "7:1"],
    ["is awaited", "return await isSure();", "7:14"],
  ])("%s", async (_, use, place) => {
    const named = SURE.replace("async function* isSure()", "const isSure = async function* ()");
    for (const declared of [SURE, named]) {
      const said = await load({ "it.ts": fileOf(`\n${declared}\n${use}`) });

      expect(said).toContain(`it.ts:${place}: isSure(…) is `);
      expect(said).toContain("yield* isSure(…)");
    }
  });

  it("yields raw data, so that the file imports nothing that makes an effect", async () => {
    const body =
      'async function* isSure(): any { return yield { ask: "confirm", message: "?" }; }\nif (isSure()) return 1;';

    expect(await load({ "it.ts": fileOf(body, 'import { tool } from "@photon/core";\n\n\n') })).toContain(
      "it.ts:6:5: ",
    );
  });

  it.each<[string, string]>([
    ["is yielded", "if (yield* isSure()) return 1;"],
    ["is read", "for await (const one of isSure()) return one;"],
    ["is stored and read", "const answers = isSure(); return (await answers.next()).value;"],
    ["is passed on", "await input.x?.(isSure());"],
    [
      "has the name of another function",
      "const b = async (isSure: any) => { await isSure(); }; await b(() => 1);",
    ],
  ])("but not where it %s", async (_, use) => {
    expect(await load({ "it.ts": fileOf(`${SURE}\n${use}`) })).toBe("loaded");
  });
});

it("is refused each time until it is fixed", async () => {
  const { folder, write } = temporaryProject({ "it.ts": fileOf('await ask.text("Name?");') });
  const loading = (): Promise<unknown> => loadDefinitions(["it.ts"], { cwd: folder });

  await expect(loading()).rejects.toThrow("it.ts:5:9");
  await expect(loading()).rejects.toThrow("it.ts:5:9");
  write({ "it.ts": fileOf('yield* ask.text("Name?");') });
  await expect(loading()).resolves.toBeDefined();
});

describe("a tool file is loaded where an effect", () => {
  it.each<[string, string]>([
    ["is yielded", 'if (yield* ask.confirm("?")) yield emit.status("Working");'],
    ["is yielded after a condition", 'input.x && (yield* ask.confirm("?"));'],
    ["is chosen, then yielded", 'return yield* input.x ? ask.text("A?") : ask.text("B?");'],
    ["is stored", 'const question = ask.text("?"); return yield* question;'],
    ["is stored, and a condition once it was yielded", 'const a = ask.confirm("?"); if (yield* a) return 1;'],
    [
      "is stored, and another value has its name in the condition",
      'const a = ask.confirm("?"); const b = (a: any) => a && 1; return b(yield* a);',
    ],
    ["is stored, or nothing is", 'const a = input.x ? ask.confirm("?") : undefined; if (a) yield* a;'],
    ["is stored in what changes", 'let a: any = ask.confirm("?"); a = yield* a; if (a) return 1;'],
    [
      "is stored where the condition is not",
      '{ const name = ask.text("?"); yield* name; } if (name) return 1;',
    ],
    ["is returned by a function", 'const name = () => ask.text("?"); return yield* name();'],
    ["is handed to a round", 'return yield* ask.all({ name: ask.text("?") });'],
    ["is passed to a helper that is awaited", 'await input.x?.(ask.text("?"));'],
    [
      "is the value of a shadowed name",
      '{ const ask: any = input; await ask.text("?"); if (ask.ok()) return; }',
    ],
    ["is the value of a parameter", "const call = async (step: any) => { step(); }; await call(() => 1);"],
  ])("%s", async (_, body) => {
    expect(await load({ "it.ts": fileOf(body, STORED) })).toBe("loaded");
  });

  it("only has the name of one", async () => {
    const own = `import { emit, tool } from "@photon/core";
import { ask } from "./ask.ts";
const LATER = emit.status("Later");
`;
    const body = 'if (await ask.confirm("?")) return 1;';
    expect(
      await load({ "it.ts": fileOf(body, own), "ask.ts": "export const ask: any = { confirm() {} };" }),
    ).toBe("loaded");
  });
});

it("a file with a long word is looked through in linear time", () => {
  const source = `import { ask } from "@photon/core";\nconst text = "${"x".repeat(300_000)}";`;

  expect(mayForgetYield(source)).toBe(false);
});
