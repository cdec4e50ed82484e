/** Effects that are made while a body runs, by a module that Node loads then. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

it("a module that a body loads may make effects for later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "photon-load-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const core = new URL("../dist/index.js", import.meta.url).href;
  const kit = new URL("../dist/testing/index.js", import.meta.url).href;
  writeFileSync(
    join(folder, "questions.mjs"),
    `import { ask } from ${JSON.stringify(core)};
     export const sure = ask.confirm("Sure?");
     export const rarely = ask.text("Rarely?");`,
  );
  writeFileSync(
    join(folder, "main.mjs"),
    `import { tool } from ${JSON.stringify(core)};
     import { script } from ${JSON.stringify(kit)};
     const lazy = tool({ name: "lazy", async *run() { return yield* (await import("./questions.mjs")).sure; } });
     export const result = await script(() => true).run(lazy);`,
  );

  const loaded = (await import(pathToFileURL(join(folder, "main.mjs")).href)) as { result: unknown };

  expect(loaded.result).toBe(true);
});
