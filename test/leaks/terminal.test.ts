/** The same in a terminal: a secret that was typed is shown nowhere, and stands in no file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolOf, toolFolder } from "../../packages/cli/test/run/tool-folder.ts";
import { verifies } from "../requirements.ts";
import { tracesOf } from "./misuse.ts";

const SECRET = "correct-horse battery&staple";

const emits = `
  const token = yield* ask.secret("Token?");
  const value = token.reveal();
  const base64 = Buffer.from("x" + value + " and more").toString("base64");
  for (const spelled of [value, JSON.stringify(value), encodeURIComponent(value), base64]) {
    yield emit.status("Using " + spelled);
    yield emit.progress(0.5, spelled);
    yield emit.log("error", { nested: [spelled] });
    yield emit.stream(spelled);
    yield emit.text(spelled);
  }
  yield* ask.text("Is " + value + " right?", { id: "right", default: value });
`;

const endings = {
  returns: `return { value, token, list: [base64] };`,
  throws: `throw Object.assign(new Error("refused " + value), { value, cause: { value } });`,
  steps: `return yield* step("log in", () => ({ value }));`,
};

const found = (text: string): readonly string[] => tracesOf(SECRET).filter((trace) => text.includes(trace));

/** Everything that was written where the command ran; not what it was given. */
const files = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => readFileSync(join(folder, name), "utf8"))
    .join("\n");

describe.each(Object.entries(endings))("a tool that %s a secret", (_, ending) => {
  it(verifies("B6", "does not show it in the terminal"), async () => {
    const { open, folder } = toolFolder({ "it.js": toolOf(emits + ending) });
    const terminal = open(["it.js", "--record", "answers.json"]);
    await terminal.shows("Token?");
    terminal.type(SECRET);
    terminal.press("enter");
    await terminal.shows("Is [secret] right?");
    terminal.press("enter");
    await terminal.exit;

    expect(found(terminal.raw)).toEqual([]);
    expect(terminal.raw).toContain("[secret]");
    expect(found(files(folder))).toEqual([]);
    expect(files(folder)).toContain("$secret");
  });

  it(verifies("B6", "writes it to neither stdout nor stderr where both are pipes"), async () => {
    const { run } = toolFolder({ "it.js": toolOf(emits + ending) });

    const { stdout, stderr } = await run(["it.js", "--answer", "right=yes"], { input: `${SECRET}\n` });

    expect(stderr).toContain("[secret]");
    expect(found(stdout + stderr)).toEqual([]);
  });
});
