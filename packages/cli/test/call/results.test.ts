import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, emit, prompt, resource, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { command, serve } from "./servers.ts";

const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const strange = new URL("./fixtures/strange.mjs", import.meta.url);

const many = tool({
  name: "many",
  async *run() {
    yield emit.log("debug", "a detail");
    yield emit.log("info", "some news");
    return [
      { type: "text", text: "Here they are." },
      { type: "image", data: dot, mimeType: "image/png" },
      { type: "resource", uri: "note://today/list.txt", text: "Milk" },
      { type: "link", uri: "https://example.com/", name: "More" },
    ];
  },
});
const failing = tool({
  name: "failing",
  async *run() {
    throw new Error("There is no room.");
  },
});

describe("what photon call shows", { timeout: 20_000 }, () => {
  it(verifies("A8", "is the text of a result on stdout, and what else there is on stderr"), async () => {
    const url = await serve({ tools: [many] });
    const { stdout, stderr, exitCode } = await callInProcess([`${url}/mcp`]);

    expect({ stdout, exitCode }).toEqual({ stdout: "Here they are.\nMilk\n", exitCode: 0 });
    expect(stderr).toBe(
      "[info] some news\nimage/png, 70 bytes (--out folder saves it)\nMore: https://example.com/\n",
    );
  });

  it("is saved with --out, under names that stay in the folder", async () => {
    const url = await serve({ tools: [many] });
    const place = temporaryFolder();
    const { stderr } = await callInProcess([`${url}/mcp`, "--out", "made"], { place });
    const [, saved = ""] = /Saved (\S+) \(image\/png, 70 bytes\)/.exec(stderr) ?? [];

    expect(readFileSync(join(place.folder, "made", saved.slice(saved.lastIndexOf("/"))), "base64")).toBe(dot);
  });

  it("is the result as the server spelled it, with --json", async () => {
    const url = await serve({ name: "hotel", version: "1", tools: [many] });
    const { stdout } = await callInProcess([`${url}/mcp`, "--json"]);

    expect(JSON.parse(stdout)).toEqual({
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "hotel", version: "1" } },
      content: [
        { type: "text", text: "Here they are." },
        { type: "image", data: dot, mimeType: "image/png" },
        { type: "resource", resource: { uri: "note://today/list.txt", text: "Milk" } },
        { type: "resource_link", uri: "https://example.com/", name: "More" },
      ],
      isError: false,
    });
  });

  it("is the text for people where a result has a structured value as well", async () => {
    const { stdout } = await callInProcess(command(strange, "explains"));
    const json = await callInProcess(["--json", ...command(strange, "explains")]);

    expect(stdout).toBe("Done.\n");
    expect(JSON.parse(json.stdout)).toMatchObject({ structuredContent: { rooms: [1, 2], free: true } });
  });

  it("is the structured value, laid out, where the text is nothing but that value", async () => {
    const { stdout } = await callInProcess(command(strange, "repeats"));

    expect(stdout).toBe(`${JSON.stringify({ rooms: [1, 2], free: true }, null, 2)}\n`);
  });

  it("is what went wrong, and exit code 1, where the tool failed", async () => {
    const url = await serve({ tools: [failing] });
    const plain = await callInProcess([`${url}/mcp`]);
    const json = await callInProcess([`${url}/mcp`, "--json"]);

    expect(plain).toEqual({ stdout: "", stderr: "There is no room.\n", exitCode: 1 });
    expect(JSON.parse(json.stdout)).toMatchObject({
      content: [{ type: "text", text: "There is no room." }],
      isError: true,
    });
    expect(json.exitCode).toBe(1);
  });

  it.each(["mcp", "sse"])("is logged from the level that was asked for: /%s", async (path) => {
    const url = await serve({ tools: [many] });
    const detailed = await callInProcess([`${url}/${path}`, "many", "--log-level", "debug"]);
    const terse = await callInProcess([`${url}/${path}`, "many", "--log-level", "error"]);

    expect(detailed.stderr).toContain("[debug] a detail\n[info] some news\n");
    expect(terse.stderr).not.toContain("news");
  });

  it("moves no cursor, whatever a server says", async () => {
    const rude = tool({
      name: "rude",
      async *run() {
        yield emit.status("a\u001B[2Jb");
        yield* ask.confirm("c\u001B]0;title\u0007d?", { id: "c" });
        throw new Error("e\u001B[1Af");
      },
    });
    const url = await serve({ tools: [rude] });
    const { stderr } = await callInProcess([`${url}/mcp`, "--answer", "c=yes"]);

    expect(stderr).not.toContain("\u001B");
    expect(stderr).toContain("ab\n?  cd? (yes or no)\n");
  });

  it("is what the server offers, with --list, or by photon list", async () => {
    const greet = prompt({
      name: "greet",
      arguments: { name: { description: "Whom", required: true } },
      async *run({ name }) {
        return `Greet ${name}.`;
      },
    });
    const note = resource({
      uri: "note://{day}",
      name: "note",
      description: "A note.",
      async *run() {
        return "Milk";
      },
    });
    const url = await serve({
      name: "hotel",
      version: "1.2.3",
      tools: [many],
      prompts: [greet],
      resources: [note],
    });
    const called = await callInProcess([`${url}/mcp`, "--list"]);
    const listed = await temporaryFolder().photon(["list", `${url}/mcp`]);

    expect(called).toEqual({
      stdout: `Tools
  many

Prompts
  greet
    input  name (string, required): Whom

Resources
  note://{day}  A note.
`,
      stderr: "hotel 1.2.3, 2026-07-28\n",
      exitCode: 0,
    });
    expect(listed).toEqual(called);
  });
});
