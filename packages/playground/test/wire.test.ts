/** What HTTP says beside a message, how addresses are made, and what is kept: the small print. */
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { expandTemplate } from "../src/client/expand-template.ts";
import { Keeper, type KeptRun } from "../src/desk/keeper.ts";
import { sentenceIn } from "../src/wire/post.ts";
import { oddServer } from "./odd-server.ts";
import { stage } from "./stage.ts";
import { ended, happened, MemoryStorage, until } from "./tab.ts";

async function* says(text: string): AsyncGenerator<never, string> {
  return text;
}

describe("a request of 2026-07-28 over HTTP", () => {
  it("says in headers what a tool wants to be routed by, however it is spelled", async () => {
    const routed = tool({
      name: "routed",
      description: "Is routed",
      input: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
        },
      } as const,
      run: (given) => says(JSON.stringify(given)),
    });
    const { open } = await stage({ tools: [routed] });
    const given = { region: " Zürich ", deep: { count: 3 } };

    const run = await open({ way: "http" }).call("routed", given);

    expect(await ended(run)).toEqual({ state: "done" });
    expect(JSON.stringify(happened(run, "result"))).toContain("Zürich");
  });

  it("names what no header can hold", async () => {
    const { open } = await stage({});
    const tab = open({ way: "http" });
    await tab.isOpen();

    const run = tab.desk.call({ kind: "resource", name: "greetings", uri: "note://grüße an alle" }, {});

    expect(await ended(run)).toMatchObject({ state: "failed" });
    // Not -32020, which would say that the headers were not those of the body.
    expect(happened(run, "error")).toMatchObject([{ code: -32602 }]);
  });
});

describe("lists", () => {
  it("are read page by page, and not for ever", async () => {
    const tab = await oddServer({}, ({ id, method, params }, say) => {
      const at = Number(params?.["cursor"] ?? 0);
      const page = { prompts: [{ name: `prompt-${at}` }], nextCursor: String(at + 1) };
      if (method === "prompts/list") say({ jsonrpc: "2.0", id, result: page });
    });

    const offers = await until(tab.desk.offers, (all) => all.length > 1);

    expect(offers.map(({ name }) => name)).toEqual([
      "odd",
      ...Array.from({ length: 100 }, (_, at) => `prompt-${at}`),
    ]);
  });
});

describe("an address of a family", () => {
  it.each([
    ["note://{day}", { day: "Mon day/1" }, "note://Mon%20day%2F1"],
    ["file://{+path}", { path: "a/b c" }, "file://a/b%20c"],
    ["find://x{?word,most}{&odd}", { word: "a&b", most: 3, odd: "" }, "find://x?word=a%26b&most=3"],
    ["note:/{/year,month}{.kind}", { year: "26", month: "7", kind: "md" }, "note://26/7.md"],
    ["note://{day}{#part}", { day: "it's" }, "note://it%27s"],
  ])("%s is filled in", (template, given, address) => {
    expect(expandTemplate(template, given)).toBe(address);
  });
});

describe("what is kept", () => {
  const run: KeptRun = {
    id: "r",
    offer: { kind: "tool", name: "t", inputSchema: {}, annotations: {} },
    given: {},
    revision: "2026-07-28",
    began: 1,
    entries: Array.from({ length: 1000 }, (_, id) => ({ id, at: 1, kind: "note", message: "x".repeat(id) })),
    questions: [],
    requestState: "state",
  };

  it("is the end of a timeline, as much as has room", () => {
    const storage = new MemoryStorage();
    const keeper = new Keeper(storage);

    keeper.keep(run);

    expect(storage.text.length).toBeLessThan(110_000);
    expect(keeper.runs).toMatchObject([{ id: "r", requestState: "state" }]);
    expect(keeper.runs[0]?.entries.at(-1)?.id).toBe(999);
  });

  it("is what can be answered before what was told, where there is hardly any room", () => {
    class Small extends MemoryStorage {
      override setItem(name: string, value: string): void {
        if (value.length > 1000) throw new Error("There is no room.");
        super.setItem(name, value);
      }
    }
    const keeper = new Keeper(new Small());

    keeper.keep(run);

    expect(keeper.runs).toMatchObject([{ id: "r", requestState: "state", entries: [] }]);
  });

  it("is let go where it is not what this page keeps", () => {
    const storage = new MemoryStorage([
      ["photon/run/1", "{"],
      ["photon/run/2", '{"id":"2"}'],
      ["photon/settings", '{"revision":"1999-01-01","way":7,"token":"t"}'],
    ]);

    expect(new Keeper(storage).runs).toEqual([]);
    expect(new Keeper(storage).settings).toEqual({ token: "t" });
  });
});

describe("what a server says in words", () => {
  it("is found in what it answers with, or is the beginning of that", () => {
    expect(sentenceIn('{"error":{"code":1,"message":"No \\"way\\"."}}')).toBe('No "way".');
    expect(sentenceIn("<html>".repeat(100))).toHaveLength(200);
    expect(sentenceIn('{"message": "\\x"}')).toBe('{"message": "\\x"}');
  });
});
