/** Tools that need a client capability, where a question can reach the user in another way (ARCHITECTURE.md §6). */
import { ask, tool, UrlRequired, type Capability, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { eras, linkIn, onSession, runIn } from "./handover/model.ts";
import { Visitor } from "./pages/visitor.ts";
import { answerPage, declinePage } from "./secrets/person.ts";
import { listening } from "./wire/servers.ts";
import { Witness } from "./wire/tools.ts";

/** Needs something, and tells the witness that it has begun. */
function needing(
  needs: readonly Capability[],
  witness: Witness,
  whenUnsupported?: "fail" | "page" | "relay",
): Tool<never> {
  return tool({
    name: "needing",
    needs,
    ...(whenUnsupported === undefined ? {} : { whenUnsupported }),
    async *run() {
      witness.begun += 1;
      return `Hello, ${yield* ask.text("Name?")}`;
    },
  });
}

/** Says that somebody has been where they were sent. */
async function visit(url: string): Promise<string> {
  const visitor = new Visitor();
  const { text } = await visitor.open(url);
  await visitor.answer(url, {});
  return text;
}

describe.each(Object.entries(eras))("a need that handing over meets, in %s", (_, meet) => {
  it(verifies("B4", "is met for forms by a page"), async () => {
    const { model } = await meet({ tools: [needing(["form"], new Witness())], whenUnsupported: "page" });
    const { call } = await model();

    const handed = await call("needing");
    await answerPage(linkIn(handed), "Ada");

    expect((await call("photon_continue", { run: runIn(handed) })).text).toBe("Hello, Ada");
  });

  it.each([false, true])(
    "is what the body sees its client can do, and what its journal begins with (durable: %s)",
    async (durable) => {
      const looking = tool({
        name: "looking",
        durable,
        async *run(_input, { client }) {
          const { form, url, sample } = client.can;
          return `${form} ${url} ${sample}`;
        },
      });
      const { model } = await meet({ tools: [looking], whenUnsupported: "page" });

      expect((await (await model()).call("looking")).text).toBe("true true false");
    },
  );

  it("is met for web addresses by a page, which sends the person there", async () => {
    const going = tool({
      name: "going",
      needs: ["url"],
      async *run() {
        yield* ask.url("Sign in", "https://id.example.com/");
        return "been there";
      },
    });
    const { model } = await meet({ tools: [going], whenUnsupported: "page" });
    const { call } = await model({ elicitation: {} });

    const handed = await call("going");
    const page = await visit(linkIn(handed));

    expect(page).toContain("https://id.example.com/");
    expect((await call("photon_continue", { run: runIn(handed) })).text).toBe("been there");
  });

  it("is met for what a person must do first by a page; then the tool begins again", async () => {
    const calls: string[] = [];
    const first = tool({
      name: "first",
      needs: ["url"],
      async *run() {
        calls.push("began");
        if (calls.length <= 2)
          throw new UrlRequired([{ message: "Sign in", url: `https://id.example.com/${calls.length}` }]);
        return `Hello, ${yield* ask.text("Name?")}`;
      },
    });
    const { model, server } = await meet({ tools: [first], whenUnsupported: "page" });
    const { call } = await model();

    const one = await call("first");
    const pages = [await visit(linkIn(one))];
    const two = await call("photon_continue", { run: runIn(one) });
    pages.push(await visit(linkIn(two)));
    const three = await call("photon_continue", { run: runIn(two) });
    await answerPage(linkIn(three), "Ada");
    const done = await call("photon_continue", { run: runIn(three) });

    expect(pages.map((page) => /id\.example\.com\/\d/.exec(page)?.[0])).toEqual([
      "id.example.com/1",
      "id.example.com/2",
    ]);
    expect(done.text).toBe("Hello, Ada");
    expect(server.parked).toBe(0);
    expect((await call("photon_continue", { run: runIn(one) })).text).toContain("No call waits");
  });

  it("is met and then declined by the person: the tool says where they were needed", async () => {
    const signing = tool({
      name: "signing",
      async *run() {
        throw new UrlRequired([{ message: "Sign in", url: "https://id.example.com" }]);
      },
    });
    const { model } = await meet({ tools: [signing], whenUnsupported: "page" });
    const { call } = await model();

    const handed = await call("signing");
    await declinePage(linkIn(handed));
    const done = await call("photon_continue", { run: runIn(handed) });

    expect(done).toMatchObject({ isError: true });
    expect(done.text).toContain("https://id.example.com");
  });
});

describe.each(Object.entries(eras))("a need that nothing meets, in %s", (_, meet) => {
  it.each<[Capability, "fail" | "page" | "relay"]>([
    ["form", "fail"],
    ["url", "fail"],
    ["form", "relay"],
    ["url", "relay"],
    ["sample", "page"],
    ["sample", "relay"],
    ["roots", "page"],
    ["roots", "relay"],
  ])(verifies("B4", "(%s, with %s) refuses the call before its body starts"), async (need, way) => {
    const witness = new Witness();
    const { model } = await meet({ tools: [needing([need], witness)], whenUnsupported: way });

    const refused = await (await model()).call("needing");

    expect(refused.text).toBe(`needing needs a client that can do: ${need}.`);
    expect(witness.begun).toBe(0);
  });

  it("is no form for a model's words, also where only the tool says so: a yes to what is dangerous is none", async () => {
    const witness = new Witness();
    const erase = tool({
      name: "erase",
      needs: ["form"],
      whenUnsupported: "relay",
      async *run() {
        witness.begun += 1;
        return (yield* ask.confirm("Erase all of it?", { dangerous: true })) ? "Erased." : "Kept.";
      },
    });
    const { model } = await meet({ tools: [erase] });

    const refused = await (await model()).call("erase");

    expect(refused.text).toBe("erase needs a client that can do: form.");
    expect(witness.begun).toBe(0);
  });

  it("is what the body sees that its client cannot do, where a model passes questions on", async () => {
    const looking = tool({
      name: "looking",
      async *run(_input, { client }) {
        return `${client.can.form} ${client.can.url}`;
      },
    });
    const { model } = await meet({ tools: [looking], whenUnsupported: "relay" });

    expect((await (await model()).call("looking")).text).toBe("false false");
  });

  it("is named alone, where handing over meets the others", async () => {
    const { model } = await meet({
      tools: [needing(["form", "sample"], new Witness())],
      whenUnsupported: "page",
    });

    const refused = await (await model()).call("needing");

    expect(refused.text).toBe("needing needs a client that can do: sample.");
  });
});

describe("a need that a page would meet", () => {
  it("is not met where there can be no page", async () => {
    const witness = new Witness();
    const { url } = await listening(
      { tools: [needing(["form"], witness)], whenUnsupported: "page" },
      { host: "0.0.0.0", noAuth: true },
    );

    const refused = await (await onSession(url)).call("needing");

    expect(refused.text).toBe("needing needs a client that can do: form.");
    expect(witness.begun).toBe(0);
  });
});
