/** Whatever a server calls things and says of them, the page shows it as text: nothing of it runs, and nothing is fetched. */
import type { Page as Tab } from "playwright-core";
import { describe, expect, it } from "vitest";
import { usePlayground } from "./browser.ts";
import { asks, hostileServer, odd, result, said, type Lies } from "./hostile-server.ts";
import { Person } from "./person.ts";

const playground = usePlayground();

/** Each of them would leave a trace if it were taken for more than text. */
const SCRIPTS = [
  `<script>globalThis.ran = "script"</script>`,
  `<img src="/fetched" onerror="globalThis.ran = 'img'">`,
  `<svg onload="globalThis.ran = 'svg'"><use href="/fetched"/></svg>`,
  `<iframe srcdoc="<script>parent.ran = 'iframe'</script>"></iframe>`,
  `<style>@import "/fetched"; * { display: none }</style>`,
  `</title></textarea></script><base href="/fetched">`,
  "![](/fetched) [click](javascript:globalThis.ran='md')",
  "{{constructor.constructor('globalThis.ran=1')()}} ${globalThis.ran=1}",
].join("\n");

const CONTROLS = "\u001B[2J\u001B[31mred\u001B]0;title\u0007 \0\b\u009B1A \uFEFF\u2028\u2029";
const ALL = `${SCRIPTS} ${CONTROLS} \u202Eoverridden\u2066isolated`;

const SAYS_ALL = {
  name: ALL,
  title: ALL,
  description: ALL,
};

/** What of the page's own there is after it has shown such things, and nothing else. */
async function assertHarmless(tab: Tab, requests: readonly string[]): Promise<void> {
  const traces = await tab.evaluate(`({
    ran: "ran" in globalThis,
    strangers: document.querySelectorAll("#page :is(script, style, iframe, base, object, embed, use)").length,
    scripts: [...document.scripts].filter(({ src }) => src === "").length,
    links: [...document.links].map(({ protocol }) => protocol).filter((one) => !/^https?:$/.test(one)),
  })`);
  expect(traces).toEqual({ ran: false, strangers: 0, scripts: 0, links: [] });
  expect(requests.filter((url) => url.includes("fetched"))).toEqual([]);
}

async function visit(lies: Lies): Promise<{ person: Person; requests: readonly string[] }> {
  const { url } = await hostileServer(lies);
  const tab = await playground.visit(url);
  const requests: string[] = [];
  tab.on("request", (request) => requests.push(request.url()));
  return { person: new Person(tab), requests };
}

const LINKS = [
  "javascript:globalThis.ran='link'",
  "data:text/html,<script>1</script>",
  "vbscript:x",
  "blob:x",
];

describe("the playground", () => {
  it("takes names, titles and descriptions for text, wherever they stand", async () => {
    const { person, requests } = await visit({
      name: ALL,
      instructions: ALL,
      tools: [odd(SAYS_ALL)],
      prompts: [{ ...SAYS_ALL, arguments: [{ name: ALL, description: ALL, required: true }] }],
      resources: [{ ...SAYS_ALL, uri: LINKS[0] }],
      call: () => [said(ALL)],
    });
    await person.tab.getByText("globalThis.ran").first().waitFor();
    for (const section of ["Tools", "Prompts", "Resources"]) {
      await person.tab.getByRole("region", { name: section }).getByRole("button").click();
      await person.tab.getByRole("main").getByRole("heading", { level: 1 }).getByText("<script>").waitFor();
      await assertHarmless(person.tab, requests);
    }
  });

  it("takes a name with half a character, and goes on", async () => {
    const { person } = await visit({
      tools: [odd({ name: "half \uD83D" }), odd({ name: "whole" })],
      call: () => [said("called")],
    });
    await person.choose("half");
    await person.runIt();
    expect(await person.ending()).toMatchObject({ state: "done" });

    await person.choose("whole");
    await expect.poll(() => person.tab.url()).toMatch(/#tool\/whole$/);
  });

  it("has its own words read from the left, whatever turns those of a server", async () => {
    const turned = "\u2069\u202Eturned";
    const { person } = await visit({
      tools: [odd({ title: turned })],
      call: () => [
        asks(
          { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
          { ask: "secret", hint: turned, attempt: 2 },
        ),
      ],
    });
    await person.choose("turned");
    await person.runIt();
    await person.question.waitFor();

    // Where the first sign and the last of the page's own words are.
    const isFromLeft = `(selector) => {
      const own = [...document.querySelector(selector).childNodes].findLast((node) => node.nodeType === 3);
      const leftOf = (at) => {
        const range = document.createRange();
        range.setStart(own, at);
        range.setEnd(own, at + 1);
        return range.getBoundingClientRect().left;
      };
      const title = document.querySelector(selector).querySelector("bdi").getBoundingClientRect();
      return leftOf(own.length - 1) >= title.right - 1;
    }`;
    for (const selector of [".asker", ".hint"])
      expect(await person.tab.evaluate<boolean>(`(${isFromLeft})(${JSON.stringify(selector)})`)).toBe(true);
  });

  it("takes everything that a run tells for text", async () => {
    const { person, requests } = await visit({
      tools: [odd({})],
      call: ({ params }) => {
        // The page has given its call a token, by which it hears of it.
        const { progressToken } = params["_meta"] as { readonly progressToken: unknown };
        return [
          { method: "notifications/progress", params: { progressToken, progress: 1, message: ALL } },
          { method: "notifications/message", params: { level: "error", logger: ALL, data: ALL } },
          { method: "notifications/message", params: { level: ALL, logger: "odd", data: { [ALL]: ALL } } },
          result({
            isError: true,
            content: [
              { type: "text", text: ALL },
              { type: ALL, [ALL]: ALL },
              { type: "image", data: "PHN2Zy8+", mimeType: `image/svg+xml"><script>` },
              { type: "audio", data: ALL, mimeType: "audio/wav" },
              { type: "resource", resource: { uri: LINKS[0], mimeType: "text/html", text: ALL } },
              ...LINKS.map((uri) => ({ type: "resource_link", uri, name: ALL, description: ALL })),
            ],
            structuredContent: { [ALL]: ALL },
          }),
        ];
      },
    });
    await person.choose("odd");
    await person.runIt();

    const { state, says } = await person.ending();

    expect(state).toBe("failed");
    for (const line of SCRIPTS.split("\n")) expect(says).toContain(line);
    expect(await person.run.getByRole("link").count()).toBe(0);
    await assertHarmless(person.tab, requests);
  });

  it("takes a question for text: its message, its fields, its choices and its hint", async () => {
    const choices = [ALL, `${ALL}2`].map((value) => ({ const: value, title: value }));
    const answers: unknown[] = [];
    const { person, requests } = await visit({
      tools: [odd({})],
      *call({ params }) {
        if ("inputResponses" in params) {
          answers.push(params["inputResponses"]);
          yield said("done");
          return;
        }
        const field = { type: "string", title: ALL, description: ALL };
        const properties = { [ALL]: { ...field, oneOf: choices }, other: { ...field, default: ALL } };
        yield asks(
          { mode: "form", message: ALL, requestedSchema: { type: "object", properties, required: [ALL] } },
          { ask: ALL, hint: ALL, attempt: 2, options: { [ALL]: ALL } },
        );
      },
    });
    await person.choose("odd");
    await person.runIt();
    await person.question.getByRole("radio").first().check();
    await assertHarmless(person.tab, requests);

    await person.press("Accept");

    expect(await person.ending()).toMatchObject({ state: "done" });
    expect(answers).toMatchObject([{ question: { action: "accept", content: { [ALL]: ALL } } }]);
    await assertHarmless(person.tab, requests);
  });

  it("opens no address but of the web, where a question sends people to one", async () => {
    const { person, requests } = await visit({
      tools: LINKS.map((_, index) => odd({ name: `link-${index}` })),
      call: ({ params }) => {
        const url = LINKS[Number(String(params["name"]).at(-1))];
        return ["inputResponses" in params ? said("done") : asks({ mode: "url", message: "Go", url })];
      },
    });
    for (const index of LINKS.keys()) {
      await person.choose(`link-${index}`);
      await person.runIt();
      const question = await person.asked("Go");
      expect(await question.getByText("not opened from here").count()).toBe(1);
      expect(await question.getByRole("link").count()).toBe(0);
      await assertHarmless(person.tab, requests);
      await person.press("Cancel");
      await person.question.waitFor({ state: "detached" });
    }
  });

  it("shows an address as it will be opened, whatever would make it look like another", async () => {
    const { person } = await visit({
      tools: [odd({})],
      call: () => [asks({ mode: "url", message: "Go", url: "http://\u202Emoc.knab@evil.example/" })],
    });
    await person.choose("odd");
    await person.runIt();
    const question = await person.asked("Go");

    const link = question.getByRole("link");
    expect(await link.innerText()).toContain("evil.example");
    const href = await link.getAttribute("href");
    expect(await question.getByText("http://").first().innerText()).toBe(href);
    expect(href).toMatch(/^[\u0021-\u007E]+$/);
  });

  it("is not poisoned by names that every object has", async () => {
    const fields = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const answers: unknown[] = [];
    const { person } = await visit({
      tools: [odd({ name: "constructor" }), odd({ name: "__proto__" })],
      *call({ params }) {
        if ("inputResponses" in params) {
          answers.push(params["inputResponses"]);
          yield said("done");
          return;
        }
        const properties = Object.fromEntries(fields.map((name) => [name, { type: "string" }]));
        const requestedSchema = { type: "object", properties, required: fields };
        yield asks({ mode: "form", message: "Names?", requestedSchema }, { ask: "constructor" });
      },
    });
    await person.choose("__proto__");
    await person.runIt();
    const question = await person.asked("Names?");
    expect(await question.innerText()).not.toContain("native code");
    await person.press("Accept");
    expect(await question.getByText("Fill this in.").count()).toBe(fields.length);

    for (const name of fields) await question.getByLabel(name).fill("x");
    expect(await question.getByText("Fill this in.").count()).toBe(0);
    expect(await question.locator("[aria-invalid=true]").count()).toBe(0);
    await person.press("Accept");

    expect(await person.ending()).toMatchObject({ state: "done" });
    const content = fields.map((name) => `"${name}":"x"`).join(",");
    expect(JSON.stringify(answers)).toContain(`"content":{${content}}`);
    expect(await person.tab.evaluate(`"x" in {}`)).toBe(false);
  });
});
