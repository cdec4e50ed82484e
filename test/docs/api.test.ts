/** `npm run api`, which writes docs/api from the sources. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./pages.ts";

const ENTRIES = [
  "packages/core/src/index.ts",
  "packages/core/src/testing/index.ts",
  "packages/server/src/index.ts",
  "packages/server/src/sdk/index.ts",
  "packages/server/src/stores/store-contract.ts",
];

/** A project whose entry points are empty, but for these files. */
function projectWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "photon-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const empty = Object.fromEntries(ENTRIES.map((path) => [path, "export {};\n"]));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries({ ...empty, ...files })) write(path, text);
  const run = (...flags: readonly string[]) =>
    spawnSync(process.execPath, [join(root, "scripts/write-api.mjs"), ...flags, folder], {
      encoding: "utf8",
    });
  return { run, write, page: () => readFileSync(join(folder, "docs/api/core.md"), "utf8") };
}

describe("npm run api", () => {
  it("writes the declaration and the description of what an index exports, by its groups", () => {
    const { run, page } = projectWith({
      "packages/core/src/index.ts":
        '// Birds\nexport { sing } from "./bird.ts";\nexport type { Bird } from "./bird.ts";\n// Songs\nexport { song } from "./bird.ts";\n',
      "packages/core/src/bird.ts": `
        /** A bird. */
        export interface Bird { readonly wings: Wings }
        interface Wings {
          /** In metres. */
          readonly span: number;
        }
        /** Sings a song. */
        export function sing(bird: Bird, loudly: boolean = true): string { return String(bird) + loudly; }
        /** The song. */
        export const song: string = "la";
      `,
    });

    const { status, stderr } = run();

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(page()).toContain("- Birds: [`sing`](#sing), [`Bird`](#bird)\n");
    expect(page()).toContain(
      [
        "## Birds",
        "### sing",
        "Sings a song.",
        "```ts\nfunction sing(bird: Bird, loudly?: boolean): string;\n```",
        "### Bird",
        "A bird.",
        "```ts\ninterface Bird {\n  readonly wings: Wings;\n}\n\ninterface Wings {\n  /** In metres. */\n  readonly span: number;\n}\n```",
        "## Songs",
        "### song",
        "The song.",
        "```ts\ndeclare const song: string;\n```",
      ].join("\n\n"),
    );
  });

  it("fails where an exported name has no description, and names it", () => {
    const { run } = projectWith({ "packages/core/src/index.ts": "export const song: string = 'la';\n" });

    const { status, stderr } = run();

    expect(status).toBe(1);
    expect(stderr).toBe("song of @photon/core has no description (packages/core/src/index.ts#song).\n");
  });

  it("with --check writes nothing, and fails where a page is missing or stale", () => {
    const { run, write, page } = projectWith({
      "packages/core/src/index.ts": "/** A song. */\nexport const song: string = 'la';\n",
    });

    expect(run("--check").stderr).toContain("docs/api/core.md is stale: npm run api\n");
    expect(run().status).toBe(0);
    expect(run("--check").status).toBe(0);
    const before = page();
    write("packages/core/src/index.ts", "/** A song. */\nexport const song: number = 1;\n");
    const { status, stderr } = run("--check");

    expect({ status, stderr }).toEqual({ status: 1, stderr: "docs/api/core.md is stale: npm run api\n" });
    expect(page()).toBe(before);
  });
});
