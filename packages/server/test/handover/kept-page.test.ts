/** Durable calls that are answered on pages, where there is a store: any process goes on with them (rows E1, E2, E4). */
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox } from "../../src/index.ts";
import { PAGE_WAIT_MS } from "../../src/pages/page.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { onlyRun, yes } from "../durable/waiting.ts";
import { answerPage, declinePage, statusAt } from "../secrets/person.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { linkIn, pageAwaited, runIn } from "./model.ts";
import { eras, keys, login, order, process, twoProcesses } from "./processes.ts";

describe.each(Object.entries(eras))("a durable call of %s that is answered on a page", (_, arrive) => {
  it(verifies(["E1", "E4"], "goes on in every process once the page was answered"), async () => {
    const done: string[] = [];
    const { a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "page" });
    const [here, there] = [await a.model(), await b.model()];
    const asked = await here.call("order");

    await answerPage(linkIn(asked), "tea");
    const next = await there.call("photon_continue", { run: runIn(asked) });
    await declinePage(linkIn(next));
    const last = await here.call("photon_continue", { run: runIn(next) });

    expect(next.text).toContain("- Paid?\n  http");
    expect(last.text).toBe("tea open");
    expect(done).toEqual(["tea"]);
    await expect.poll(() => [a.server.parked, b.server.parked]).toEqual([0, 0]);
  });

  it(verifies(["E1", "E2"], "has another page for the same question where its process is gone"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    const options = { store, tools: [order(done)], whenUnsupported: "page" } as const;
    const first = await process(arrive, options);
    const asked = await (await first.model()).call("order");
    await first.server.close();
    const clock = countingClock();
    const second = await process(arrive, { ...options, clock });
    const { call } = await second.model();

    const waiting = call("photon_continue", { run: runIn(asked) });
    await pageAwaited(clock);
    clock.leap(PAGE_WAIT_MS);
    const again = await waiting;
    await answerPage(linkIn(again), "tea");
    const next = await call("photon_continue", { run: runIn(again) });

    expect(again.text).toMatch(/^There is no answer yet\./);
    expect(runIn(again)).toBe(runIn(asked));
    expect(linkIn(again)).not.toBe(linkIn(asked));
    expect(next.text).toContain("- Paid?");
    expect(done).toEqual(["tea"]);
  });

  it("has the same page as long as nobody has answered, and none once somebody has", async () => {
    const clock = countingClock();
    const { store, a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) });
    await pageAwaited(clock);
    clock.leap(PAGE_WAIT_MS);
    const again = await waiting;
    expect(linkIn(again)).toBe(linkIn(asked));
    expect(await statusAt(linkIn(asked))).toBe(200);

    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);
    await inbox.answer(run, "what", yes("tea"));

    await expect.poll(() => statusAt(linkIn(asked))).toBe(410);
    expect((await call("photon_continue", { run: runIn(asked) })).text).toContain("- Paid?");
  });

  it("is told at once, while it waits for the page, that it was answered elsewhere", async () => {
    const clock = countingClock();
    const { store, a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) });
    await pageAwaited(clock);

    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);
    await inbox.answer(run, "what", yes("tea"));

    expect((await waiting).text).toContain("- Paid?");
  });

  it(verifies("B6", "asks for a secret once in one process, and tells the store nothing of it"), async () => {
    const { store, a, b } = await twoProcesses(arrive, { tools: [login], whenUnsupported: "page" });
    const here = await a.model();
    const asked = await here.call("login");
    const inbox = openInbox({ store, keys });
    const run = await onlyRun(inbox);
    await expect(inbox.answer(run, "ask-1", yes("correct horse"))).rejects.toThrow("on a page");

    await answerPage(linkIn(asked), "correct horse");
    const next = await here.call("photon_continue", { run: runIn(asked) });
    await b.server.close();
    await answerPage(linkIn(next), "Ada");
    const last = await here.call("photon_continue", { run: runIn(next) });

    expect(next.text).toContain("- Name?");
    expect(last.text).toBe("Ada 13");
    expect(JSON.stringify(await store.read(run))).not.toContain("horse");
  });

  it(
    verifies(["B1", "B6"], "is not answered by a model in the place of the page, in any process"),
    async () => {
      const { a, b } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page" });
      const asked = await (await a.model()).call("order");

      const refused = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("photon_continue") });
      expect(await statusAt(linkIn(asked))).toBe(200);
    },
  );

  it("does not hold up a server that is closed while somebody waits for its page", async () => {
    const clock = countingClock();
    const { a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) }).catch(() => {});
    await pageAwaited(clock);

    await a.server.close();

    expect(a.server.parked).toBe(0);
    expect(clock.runningFor(PAGE_WAIT_MS)).toBe(0);
    await waiting;
  });
});
