/** What a server keeps for somebody: looked at while the page is seen, and answered from it. */
import { randomBytes } from "node:crypto";
import { ask, sample, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { memoryStore, type ServerOptions } from "@photon/server";
import { effect } from "@preact/signals";
import { describe, expect, it, onTestFinished } from "vitest";
import { overStatelessHttp } from "../../../test/clients/carriers.ts";
import { StatelessClient } from "../../../test/clients/raw-client.ts";
import type { WaitingRun } from "../src/client/waiting.ts";
import type { InboxView } from "../src/desk/inbox.ts";
import type { Surroundings } from "../src/wire/surroundings.ts";
import { stage } from "./stage.ts";
import { ended, happened, until, type Tab } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const TOKENS = { ada: "a".repeat(32), bob: "b".repeat(32) };

const greet = tool({
  name: "greet",
  durable: true,
  async *run() {
    const { name, size } = yield* ask.all({
      name: ask.text("Name?"),
      size: ask.select("Size?", [{ value: "s", title: "Small", description: "fits" }, { value: "l" }]),
    });
    return `${name}: ${size}`;
  },
});

const form = tool({
  name: "form",
  durable: true,
  async *run() {
    const { city } = yield* ask.form("Where?", { city: ask.text("City") });
    return `In ${city}`;
  },
});

const visit = tool({
  name: "visit",
  durable: true,
  async *run() {
    yield* ask.url("Sign there", "https://example.com/sign", { id: "sign" });
    return "Signed.";
  },
});

const draft = tool({
  name: "draft",
  durable: true,
  async *run() {
    yield* sample("Words, please.", { maxTokens: 10 });
    return "Said.";
  },
});

const kept = (more: ServerOptions = {}) =>
  stage({
    tools: [greet, form, visit, draft],
    store: memoryStore(),
    keys: [randomBytes(32).toString("base64")],
    ...more,
  });

const callElsewhere = (url: string, name: string, headers = {}): Promise<unknown> =>
  new StatelessClient(overStatelessHttp(url, headers)).call(name);

/** The first run that waits, as soon as the page has seen it. */
async function waiting(tab: Tab): Promise<WaitingRun> {
  tab.desk.seen(true);
  const { runs } = await until(tab.desk.waiting, (page) => page.runs.length > 0);
  const [first] = runs;
  if (first === undefined) throw new Error("Nothing waits.");
  return first;
}

/** `fetch`, and how often the inbox was looked into by it. */
class Counted {
  looks = 0;
  #told = (): void => {};
  /** The server has said whether there is one. */
  readonly told: Promise<void> = new Promise((resolve) => {
    this.#told = resolve;
  });

  readonly fetch: Surroundings["fetch"] = async (address, init) => {
    const response = await fetch(address, init);
    const { pathname } = new URL(address);
    if (pathname === "/inbox") this.looks += 1;
    if (pathname === "/healthz") this.#told();
    return response;
  };
}

onEveryWay((how) => {
  it("shows what waits, but not what its own runs ask", async () => {
    const { url, open } = await kept();
    const tab = open(how);
    await tab.call("form");
    await tab.question();
    await callElsewhere(url, "greet");

    const run = await waiting(tab);

    expect(tab.desk.waiting.value.runs).toHaveLength(1);
    expect(run).toMatchObject({ tool: "greet", questions: [{ key: "name" }, { key: "size" }] });
  });
});

describe("what waits", () => {
  it("is answered question by question, and its result is heard", async () => {
    const { url, open } = await kept();
    await callElsewhere(url, "greet");
    const tab = open();
    const run = tab.desk.takeUp(await waiting(tab));

    const listed: number[] = [];
    onTestFinished(effect(() => void listed.push(tab.desk.waiting.value.runs.length)));
    const size = await tab.question(({ key }) => key === "size");
    expect(size).toMatchObject({ asker: "greet", place: 2, places: 2, details: { options: { s: "fits" } } });
    await tab.accept("s", ({ key }) => key === "size");
    await tab.accept("Ada", ({ key }) => key === "name");

    expect(await ended(run)).toEqual({ state: "done" });
    expect(happened(run, "result")).toMatchObject([{ result: { content: [{ text: "Ada: s" }] } }]);
    expect(happened(run, "answered")).toHaveLength(2);
    expect(new Set(listed)).toEqual(new Set([0]));
  });

  it("is a form as a whole, or a visit that was made", async () => {
    const { url, open } = await kept();
    const tab = open();
    await callElsewhere(url, "form");
    const filled = tab.desk.takeUp(await waiting(tab));
    tab.desk.answer(await tab.question(), { action: "accept", content: { city: "Rome" } });
    expect(await ended(filled)).toEqual({ state: "done" });

    await callElsewhere(url, "visit");
    const visited = tab.desk.takeUp(await waiting(tab));
    const question = await tab.question();
    expect(question.wanted).toEqual({ by: "url", url: "https://example.com/sign" });
    tab.desk.answer(question, { action: "accept" });

    expect(await ended(visited)).toEqual({ state: "done" });
    expect(happened(filled, "result")).toMatchObject([{ result: { content: [{ text: "In Rome" }] } }]);
  });

  it("is answered once, however often somebody presses", async () => {
    const { url, open } = await kept();
    await callElsewhere(url, "form");
    const tab = open();
    const run = tab.desk.takeUp(await waiting(tab));
    const question = await tab.question();

    tab.desk.answer(question, { action: "accept", content: { city: "Rome" } });
    tab.desk.answer(question, { action: "decline" });

    await ended(run);
    expect(happened(run, "answered", "withdrawn")).toMatchObject([
      { kind: "answered", answer: { action: "accept" } },
    ]);
  });

  it("is given back where it could not be sent", async () => {
    const { url, open } = await kept();
    await callElsewhere(url, "form");
    let isBroken = true;
    const tab = open(undefined, {
      fetch: (address, init) =>
        isBroken && init.method === "POST" ? Promise.reject(new Error("unplugged")) : fetch(address, init),
    });
    const run = tab.desk.takeUp(await waiting(tab));
    tab.desk.answer(await tab.question(), { action: "accept", content: { city: "Rome" } });

    const again = await tab.question(({ details }) => details.hint !== undefined);
    isBroken = false;
    tab.desk.answer(again, { action: "accept", content: { city: "Rome" } });

    expect(again.details.hint).toContain("unplugged");
    expect(await ended(run)).toEqual({ state: "done" });
  });

  it("is that of whoever's token the page has", async () => {
    const { url, open } = await kept({ tokens: TOKENS });
    await callElsewhere(url, "form", { authorization: `Bearer ${TOKENS.ada}` });
    await callElsewhere(url, "visit", { authorization: `Bearer ${TOKENS.bob}` });
    const tab = open({ way: "http", token: TOKENS.ada });
    expect(await waiting(tab)).toMatchObject({ tool: "form" });

    tab.desk.change({ token: TOKENS.bob });

    const { runs } = await until(tab.desk.waiting, (page) => page.runs[0]?.tool === "visit");
    expect(runs).toHaveLength(1);
  });
});

describe("a page with an inbox", () => {
  it("looks into it now and then while it is seen, and not while it is hidden", async () => {
    const { url, open } = await kept();
    const clock = testClock(Date.now());
    const counted = new Counted();
    const tab = open(undefined, { clock, fetch: counted.fetch });
    await callElsewhere(url, "form");
    await waiting(tab);
    const first = counted.looks;

    tab.desk.seen(false);
    await clock.advance("1m");
    expect(counted.looks).toBe(first);

    await callElsewhere(url, "visit");
    tab.desk.seen(true);
    await until(tab.desk.waiting, ({ runs }) => runs.length === 2);
    await callElsewhere(url, "greet");
    await clock.advance("6s");
    await until(tab.desk.waiting, ({ runs }) => runs.length === 3);
  });

  it("is content without one, and does not ask again", async () => {
    const { open } = await stage({ tools: [greet] });
    const clock = testClock(Date.now());
    const counted = new Counted();
    const tab = open(undefined, { clock, fetch: counted.fetch });
    tab.desk.seen(true);
    await counted.told;

    await clock.advance("1m");

    expect(counted.looks).toBe(0);
    expect(tab.desk.waiting.value.runs).toEqual([]);
  });
});

describe("more than fits on a page", () => {
  const names = ({ runs }: InboxView): readonly string[] => runs.map(({ run }) => run);
  const isPage =
    (number: number) =>
    (page: InboxView): boolean =>
      page.number === number && !page.isTurning;

  /** So many runs that wait, one after another, and a tab in front of the first page. */
  async function many(count: number) {
    const { url, open, server } = await kept();
    const client = new StatelessClient(overStatelessHttp(url));
    for (let number = 0; number < count; number++) await client.call("form");
    const tab = open();
    await waiting(tab);
    const all = await server.inbox.list({ limit: 200 });
    return { tab, client, inbox: server.inbox, all: all.runs.map(({ run }) => run) };
  }

  it("is turned to page by page, and back", async () => {
    const { tab, all } = await many(70);
    expect(tab.desk.waiting.value).toMatchObject({ number: 1, isMore: true, isTurning: false });
    expect(names(tab.desk.waiting.value)).toEqual(all.slice(0, 50));

    tab.desk.turnWaiting("next");
    // The page that comes says where the one behind it begins: nobody turns twice at once.
    tab.desk.turnWaiting("next");
    const second = await until(tab.desk.waiting, isPage(2));
    expect(second.isMore).toBe(false);
    expect(names(second)).toEqual(all.slice(50));
    tab.desk.turnWaiting("next");
    expect(tab.desk.waiting.value.isTurning).toBe(false);

    tab.desk.turnWaiting("previous");
    expect(names(await until(tab.desk.waiting, isPage(1)))).toEqual(all.slice(0, 50));
    tab.desk.turnWaiting("previous");
    expect(tab.desk.waiting.value.isTurning).toBe(false);
  });

  it("stays where it is while others come and go before it", async () => {
    const { tab, client, inbox, all } = await many(55);
    tab.desk.turnWaiting("next");
    await until(tab.desk.waiting, isPage(2));

    for (const run of all.slice(10, 20)) await inbox.answer(run, "ask-1", { action: "decline" });
    await client.call("visit");
    tab.desk.seen(true);

    const { runs } = await until(tab.desk.waiting, (page) => page.runs.length === 6);
    expect(runs.slice(0, 5).map(({ run }) => run)).toEqual(all.slice(50));
    expect(runs.at(-1)?.tool).toBe("visit");
    tab.desk.turnWaiting("previous");
    expect(names(await until(tab.desk.waiting, isPage(1)))).toEqual(
      [...all.slice(0, 10), ...all.slice(20)].concat(runs.slice(-1).map(({ run }) => run)),
    );
  });

  it("goes back to the page before where nothing is left of it", async () => {
    const { tab, inbox, all } = await many(52);
    tab.desk.turnWaiting("next");
    await until(tab.desk.waiting, isPage(2));

    for (const run of all.slice(50)) await inbox.answer(run, "ask-1", { action: "decline" });
    tab.desk.seen(true);

    const first = await until(tab.desk.waiting, isPage(1));
    expect(first).toMatchObject({ isMore: false });
    expect(names(first)).toEqual(all.slice(0, 50));
  });

  it("is found behind a page of which nothing is for people", async () => {
    const { url, open, server } = await kept();
    const client = new StatelessClient(overStatelessHttp(url));
    // A page has 50. Runs that are begun in the same millisecond have no order: a few more keep the form behind it.
    for (let number = 0; number < 60; number++) await client.call("draft");
    await client.call("form");
    const tab = open();

    expect(await waiting(tab)).toMatchObject({ tool: "form" });
    expect((await server.inbox.list()).runs).toEqual([]);
  });
});

describe("a server that cannot tell what waits", () => {
  it("is asked again, and what was seen stays", async () => {
    const { url, open } = await kept();
    await callElsewhere(url, "form");
    let isBroken = false;
    let refuse = (): void => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const tab = open(undefined, {
      fetch: (address, init) => {
        if (!isBroken || new URL(address).pathname !== "/inbox") return fetch(address, init);
        refuse();
        return Promise.resolve(new Response("{}", { status: 500 }));
      },
    });
    await waiting(tab);
    isBroken = true;
    tab.desk.seen(true);
    await refused;
    isBroken = false;
    await callElsewhere(url, "visit");
    expect(tab.desk.waiting.value.runs).toHaveLength(1);

    tab.desk.seen(true);

    expect((await until(tab.desk.waiting, ({ runs }) => runs.length === 2)).number).toBe(1);
  });
});
