/** What a server offers: finding it, and reading what it gives. */
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { usePlayground } from "./browser.ts";
import { Person } from "./person.ts";
import { hostileServer, result } from "./hostile-server.ts";
import { kitchenSink, stage } from "./stage.ts";
import { prompts as kitchenPrompts } from "../../examples/kitchen-sink/definitions.ts";

const playground = usePlayground();

const named = (name: string) =>
  tool({
    name,
    async *run() {
      return `This is ${name}.`;
    },
  });

describe("the list", () => {
  it(verifies("D3", "is narrowed by a search, whose first is chosen by Enter"), async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    const search = person.list.getByRole("searchbox");
    await person.list.getByRole("button", { name: "Book a session" }).waitFor();

    await search.fill("tempo");
    await person.list.getByText("1 found").waitFor();
    expect(await person.list.getByRole("listitem").innerText()).toContain("Set the tempo");
    await search.press("Enter");

    await person.tab.getByRole("heading", { level: 1, name: "Set the tempo" }).waitFor();
    await search.fill("no such words");
    await person.list.getByText("Nothing has these words.").waitFor();
    expect(await person.list.getByRole("listitem").count()).toBe(0);
  });

  it(verifies(["D3", "D6"], "changes when the server's tools do"), async () => {
    const { url, server } = await stage({ tools: [named("before")] });
    const person = new Person(await playground.visit(url));
    await person.list.getByRole("button", { name: "before" }).waitFor();

    server.replace({ tools: [named("after")] });
    await person.choose("after");
    await person.runIt();

    expect((await person.ending()).says).toContain("This is after.");
    expect(await person.list.getByRole("button", { name: "before" }).count()).toBe(0);
  });
});

describe("of what is in the list", () => {
  it("the first that is seen is chosen by Enter, of whatever kind it is", async () => {
    const described = { ...named("tune"), description: "For the review" };
    const { url } = await stage({ tools: [described], prompts: kitchenPrompts });
    const person = new Person(await playground.visit(url));
    await person.list.getByRole("searchbox").fill("review");
    const first = person.list.getByRole("listitem").first();
    await first.getByText("tune").waitFor();
    await person.list.getByRole("searchbox").press("Enter");

    const chosen = person.tab.getByRole("main").getByRole("heading", { level: 1 });
    await expect.poll(() => chosen.innerText()).toContain("tune");
  });

  it("what a link leads to is in sight", async () => {
    const tools = Array.from({ length: 60 }, (_, index) => named(`tool-${index}`));
    const { url } = await stage({ tools });
    const person = new Person(await playground.visit(url, { place: "#tool/tool-59" }));
    const chosen = person.list.getByRole("button", { name: "tool-59" });
    await chosen.waitFor();

    const bottomOf = `document.querySelector("[aria-current=true]").getBoundingClientRect().bottom - innerHeight`;
    await expect.poll(() => person.tab.evaluate<number>(bottomOf)).toBeLessThanOrEqual(0);
  });

  it("resources that are called the same are told apart by their addresses", async () => {
    const { url } = await hostileServer({
      resources: ["a://1", "a://2"].map((uri) => ({ name: "same", uri })),
      call: ({ params }) => [
        result({ contents: [{ uri: params["uri"], text: `It is ${String(params["uri"])}` }] }),
      ],
    });
    const person = new Person(await playground.visit(url));
    await person.choose("same a://2");
    await person.runIt("Read");

    await person.run.getByText("It is a://2").waitFor();
    expect(await person.list.locator("[aria-current=true]").count()).toBe(1);
  });
});

describe("beside tools, there are", () => {
  it(verifies(["D3", "A9"], "prompts, which are filled in and got"), async () => {
    const { url } = await kitchenSink();
    const person = new Person(await playground.visit(url));
    await person.choose("review_mix");
    await person.tab.getByRole("main").getByLabel("clip").fill("take-1.wav");
    await person.runIt("Get");

    const { state, says } = await person.ending();
    expect(state).toBe("done");
    expect(says).toMatch(/user[^]*take-1\.wav/);
  });

  it(
    verifies(["D3", "A9"], "resources, which are read, and templates of them, which are filled in"),
    async () => {
      const { url } = await kitchenSink();
      const person = new Person(await playground.visit(url));
      await person.choose("song The song that the studio works on");
      await person.runIt("Read");
      expect((await person.ending()).says).toContain('{"key":"C","tempo":120}');

      await person.choose("shelf A file on the shelf");
      await person.tab.getByRole("main").getByLabel("name").fill("take-1.wav");
      await person.runIt("Read");

      expect((await person.ending()).says).toContain("studio://shelf/take-1.wav");
    },
  );
});

describe("what a tool makes", () => {
  it(
    verifies("D3", "is shown as what it is: words, sound, a picture, data, and where to find it"),
    async () => {
      const { url } = await kitchenSink();
      const person = new Person(await playground.visit(url));
      await person.choose("Share a clip");
      await person.runIt();

      const { says } = await person.ending();
      expect(says).toContain("take-1.wav, 1 s");
      expect(says).toContain("studio://shelf/take-1.wav");
      const picture = person.run.getByRole("img", { name: /^Picture: image\/png/ });
      // Its size is known when it could be read.
      const widthOf = (image: { readonly naturalWidth?: number }): number => image.naturalWidth ?? 0;
      await expect.poll(() => picture.evaluate(widthOf)).toBeGreaterThan(0);
      expect(await person.run.getByLabel(/^Sound: audio\/wav/).count()).toBe(1);
      const saved = person.tab.waitForEvent("download");
      await person.run.getByRole("button", { name: "Save" }).first().click();
      expect((await saved).suggestedFilename()).toMatch(/\.wav$/);
    },
  );

  it(
    verifies("D3", "on the way is told in order: statuses, logs by their level, and how far it is"),
    async () => {
      const { url } = await kitchenSink();
      const person = new Person(await playground.visit(url));
      await person.choose("Check the levels");
      await person.runIt();
      await person.ending();
      const logs = (): Promise<string[]> =>
        person.run.getByRole("listitem").filter({ hasText: "peak" }).allInnerTexts();
      expect(await logs()).toHaveLength(8);

      await person.run.getByLabel("Logs").selectOption({ label: "errors and above" });

      expect((await logs()).length).toBeLessThan(8);
    },
  );
});
