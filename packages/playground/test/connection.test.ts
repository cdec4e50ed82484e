/** The connection: how it is made, lost, made again, and changed; and what becomes of runs meanwhile. */
import { ask, emit, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { Gate } from "../../server/test/wire/gate.ts";
import { Cable } from "./cable.ts";
import { stage } from "./stage.ts";
import { ended, happened, until, type Tab } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const named = (name: string, closed: () => void = () => {}, gate = Gate.open()) =>
  tool({
    name,
    description: "Works",
    async *run(_input: unknown, { signal }) {
      try {
        yield emit.status("Begun");
        await gate.passed(signal);
        return "Done";
      } finally {
        closed();
      }
    },
  });

const greeter = tool({
  name: "greeter",
  description: "Greets",
  async *run() {
    return `Hello, ${yield* ask.text("Who is there?")}.`;
  },
});

const TOKEN = "a-token-of-more-than-16";

onEveryWay((how) => {
  it("says who the server is", async () => {
    const { open } = await stage({ instructions: "Be kind." });
    const tab = open(how);

    await tab.isOpen();

    expect(tab.desk.connection.value).toEqual({
      state: "open",
      server: { name: "stage", version: "1.0.0", instructions: "Be kind." },
    });
  });

  it("lists anew what is offered when that has changed", async () => {
    const { open, server } = await stage({ tools: [named("old")] });
    const tab = open(how);
    await tab.offer("old");
    await isListening(tab);

    server.replace({ tools: [named("new")] });

    await tab.offer("new");
    expect(tab.desk.offers.value).toMatchObject([{ kind: "tool", name: "new" }]);
  });

  it("cancels a call, and its body is closed", async () => {
    const closed = new Gate();
    const { open } = await stage({ tools: [named("slow", () => void closed.passed(), new Gate())] });
    const tab = open(how);
    const run = await tab.call("slow");
    await until(run.timeline, (entries) => entries.length === 1);

    tab.desk.cancel(run);

    expect(run.state.value).toMatchObject({ state: "cancelled" });
    await closed.reached;
  });

  it("takes a question off the page whose run is cancelled", async () => {
    const { open } = await stage({ tools: [greeter] });
    const tab = open(how);
    const run = await tab.call("greeter");
    await tab.question();

    tab.desk.cancel(run);

    expect(tab.desk.questions.value).toEqual([]);
    expect(run.state.value).toMatchObject({ state: "cancelled" });
    tab.reload();
    expect(tab.desk.runs.value).toEqual([]);
  });

  it("calls the same again, and lets go of what is over only", async () => {
    const { open } = await stage({ tools: [named("quick"), greeter] });
    const tab = open(how);
    const first = await tab.call("quick", { a: 1 });
    await ended(first);

    const second = tab.desk.again(first);
    await ended(second);
    expect(second).toMatchObject({ given: { a: 1 }, offer: { name: "quick" } });
    expect(tab.desk.runs.value.map(({ id }) => id)).toEqual([second.id, first.id]);

    const asking = await tab.call("greeter");
    tab.desk.forget(asking);
    tab.desk.forget(first);
    expect(tab.desk.runs.value.map(({ id }) => id)).toEqual([asking.id, second.id]);
  });

  it("comes back by itself, with what is offered then", async () => {
    const first = await stage({ tools: [named("old")] });
    const tab = first.open(how);
    await tab.offer("old");

    await first.server.close();
    await until(tab.desk.connection, ({ state }) => state === "lost");
    await stage({ tools: [named("new")] }, first.port);

    await tab.offer("new");
    expect(tab.desk.connection.value).toMatchObject({ state: "open" });
  });

  it("is called while there is no connection when there is one", async () => {
    const { open, port } = await stage({ tools: [named("quick")] });
    const cable = await Cable.to(port);
    const tab = open(how, {}, cable.url);
    const offer = await tab.offer("quick");
    await cable.cut();
    await until(tab.desk.connection, ({ state }) => state === "lost");

    const run = tab.desk.call(offer, {});
    expect(run.state.value).toMatchObject({ state: "waiting" });
    await cable.mend();

    expect(await ended(run)).toEqual({ state: "done" });
  });

  it("waits longer each time it is not let in, and no longer than half a minute", async () => {
    const { port, open } = await stage({});
    const cable = await Cable.to(port);
    const clock = testClock();
    await cable.cut();
    const tab = open(how, { clock }, cable.url);
    const pauses: number[] = [];
    for (let time = 0; time < 8; time += 1) {
      const lost = await until(tab.desk.connection, ({ state }) => state === "lost");
      const pause = lost.state === "lost" ? lost.retryAt - clock.now() : 0;
      pauses.push(pause);
      await clock.advance(pause);
    }

    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it("does not wait where it is told to connect", async () => {
    const { port, open } = await stage({});
    const cable = await Cable.to(port);
    await cable.cut();
    const tab = open(how, { clock: testClock() }, cable.url);
    await until(tab.desk.connection, ({ state }) => state === "lost");

    await cable.mend();
    tab.desk.reconnect();

    expect(await tab.isOpen()).toMatchObject({ state: "open" });
  });

  it("is refused where the server wants a token, and does not try again by itself", async () => {
    const { open } = await stage({ tokens: { ada: TOKEN } });
    const tab = open(how);

    const refused = await until(tab.desk.connection, ({ state }) => state === "refused");

    expect(refused).toMatchObject({ problem: expect.stringContaining("token") as unknown });
  });
});

describe("over HTTP", () => {
  it("is let in where the server has no WebSocket, and says so before", async () => {
    const { open } = await stage({ tools: [greeter] }, 0, { transports: ["http"] });
    const tab = open({ way: "websocket" });

    const lost = await until(tab.desk.connection, ({ state }) => state === "lost");
    tab.desk.change({ way: "http" });

    expect(lost).toMatchObject({
      problem:
        "The server takes no WebSocket just now. Over HTTP it can be reached: choose that in the settings.",
    });
    await tab.isOpen();
  });

  for (const revision of ["2026-07-28", "2025-11-25"] as const)
    it(`is let in with the right token, and keeps it for the tab (${revision})`, async () => {
      const { open } = await stage({ tokens: { ada: TOKEN }, tools: [greeter] });
      const tab = open({ way: "http", revision });
      await until(tab.desk.connection, ({ state }) => state === "refused");

      tab.desk.change({ token: "not-that-one-certainly" });
      const refused = await until(tab.desk.connection, ({ state }) => state === "refused");
      expect(refused).toMatchObject({ problem: "This server does not take that token." });
      tab.desk.change({ token: TOKEN });
      await tab.isOpen();

      const run = await tab.call("greeter");
      await tab.accept("Ada");
      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(tab.desk.wire.value)).not.toContain(TOKEN);
      tab.reload();
      expect(tab.desk.settings.value.token).toBe(TOKEN);
    });
});

describe("a change of the settings", () => {
  it("leaves a question of 2026-07-28 open, whose answer then goes the new way", async () => {
    const { open } = await stage({ tools: [greeter] });
    const tab = open({ revision: "2026-07-28", way: "websocket" });
    const run = await tab.call("greeter");
    const question = await tab.question();

    tab.desk.change({ way: "http" });
    tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });

    expect(await ended(run)).toEqual({ state: "done" });
    expect(tab.desk.settings.value.way).toBe("http");
  });

  it("leaves a question of 2026-07-28 for when that is spoken again", async () => {
    const { open } = await stage({ tools: [greeter] });
    const tab = open();
    const run = await tab.call("greeter");
    const question = await tab.question();

    tab.desk.change({ revision: "2025-11-25" });
    await tab.isOpen();
    tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });
    expect(run.state.value).toMatchObject({
      state: "waiting",
      why: expect.stringContaining("2026-07-28") as unknown,
    });
    tab.desk.change({ revision: "2026-07-28" });

    expect(await ended(run)).toEqual({ state: "done" });
  });

  it("ends the calls of a session, and says so", async () => {
    const { open } = await stage({ tools: [greeter] });
    const tab = open({ revision: "2025-11-25" });
    const run = await tab.call("greeter");
    await tab.question();

    tab.desk.change({ revision: "2026-07-28" });

    expect(await ended(run)).toMatchObject({
      state: "cancelled",
      why: expect.stringContaining("2025-11-25") as unknown,
    });
    expect(happened(run, "withdrawn")).toHaveLength(1);
    expect(tab.desk.questions.value).toEqual([]);
  });
});

/** Settles when the page listens for changes: what was asked for first has been answered. */
async function isListening({ desk }: Tab): Promise<void> {
  await until(desk.wire, (all) => all.some(({ title }) => /acknowledged|setLevel/.test(title)));
}
