/** A decline or cancel that comes sooner than a person can read, to another process than the one that asked: it is treated as there. */
import { randomBytes } from "node:crypto";
import { ask, systemClock, tool, type Clock } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { memoryStore, openInbox, type ServerOptions, type Store } from "../../src/index.ts";
import { PAGE_WAIT_MS } from "../../src/pages/page.ts";
import { linkIn, runIn, saidIn, type Said } from "../handover/model.ts";
import { answerPage } from "../secrets/person.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless } from "../wire/servers.ts";
import type { StatelessClient } from "../../../../test/clients/raw-client.ts";
import { overrideStore } from "../stores/override-store.ts";
import { greet } from "../wire/tools.ts";

const READING = 300;
const keys = [randomBytes(32).toString("base64")];
const decline = { action: "decline" };
const quickly = { decline, cancel: { action: "cancel" } };

const durable = tool({
  name: "durable",
  durable: true,
  async *run() {
    return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
  },
});
const both = tool({
  name: "both",
  durable: true,
  async *run() {
    const { one, two } = yield* ask.all({ one: ask.text("One?"), two: ask.text("Two?") });
    return `${one} ${two}`;
  },
});

/** A clock whose time is only put forward by the test. Timers are real: processes wait for one another. */
interface HandClock extends Clock {
  leap(wait: number): void;
  /** How many timers were set for so many milliseconds. */
  setFor(wait: number): number;
}

function handClock(): HandClock {
  let now = Date.UTC(2026, 0, 1);
  const waits: number[] = [];
  return {
    now: () => now,
    after(wait, callback) {
      waits.push(wait);
      return systemClock.after(wait, callback);
    },
    leap(wait) {
      now += wait;
    },
    setFor: (wait) => waits.filter((one) => one === wait).length,
  };
}

type Home = Awaited<ReturnType<typeof serveStateless>>;
type MakeStore = (clock: HandClock) => Store | undefined;

interface Processes {
  readonly clock: HandClock;
  readonly store: Store | undefined;
  readonly open: () => Promise<Home>;
  readonly here: Home;
  readonly there: Home;
}

/** Two processes with the same keys, and a client of each. */
async function processes(make: MakeStore, options: ServerOptions): Promise<Processes> {
  const clock = handClock();
  const store = make(clock);
  const open = (): Promise<Home> =>
    serveStateless({ keys, clock, report() {}, ...(store === undefined ? {} : { store }), ...options });
  return { clock, store, open, here: await open(), there: await open() };
}

/** Continues a call that was handed over. */
const goOn = async (client: StatelessClient, name: string, input: { readonly run: string }): Promise<Said> =>
  saidIn((await client.call(name, input)).answer);

const shared: MakeStore = (clock) => memoryStore(clock);

describe.each<[string, MakeStore]>([
  ["without a store", () => undefined],
  ["with a shared store", shared],
])("a reply that reaches another process sooner than a person can read, %s", (_, make) => {
  it.each(Object.entries(quickly))(
    verifies(["B4", "B10"], "does not count where there are pages: the same call gives a link (%s)"),
    async (__, reply) => {
      const { clock, here, there } = await processes(make, { tools: [durable], whenUnsupported: "page" });
      const asked = await here.client.call("durable");
      clock.leap(READING - 1);

      const handed = saidIn((await there.client.retry(asked, { name: reply })).answer);
      await answerPage(linkIn(handed), "Ada");

      const done = await goOn(there.client, "photon_continue", { run: runIn(handed) });
      expect(done.text).toBe("Hello, Ada");
    },
  );

  it.each(Object.entries(quickly))(
    verifies(["B4", "B10"], "does not count where a model relays: the same call asks it to (%s)"),
    async (__, reply) => {
      const { clock, here, there } = await processes(make, { tools: [durable], whenUnsupported: "relay" });
      const asked = await here.client.call("durable");
      clock.leap(READING - 1);

      const handed = saidIn((await there.client.retry(asked, { name: reply })).answer);

      const answer = { run: runIn(handed), answer: "Ada" };
      expect((await goOn(there.client, "photon_answer", answer)).text).toBe("Hello, Ada");
    },
  );

  it("counts where the time is over in which nobody can read it", async () => {
    const { clock, here, there } = await processes(make, { tools: [durable], whenUnsupported: "page" });
    const asked = await here.client.call("durable");
    clock.leap(READING);

    const { text } = saidIn((await there.client.retry(asked, { name: decline })).answer);

    expect(text).toContain("declined");
    expect(text).not.toContain("/ask/");
  });

  it("does not count beside an accept, which is kept", async () => {
    const { here, there } = await processes(make, { tools: [both], whenUnsupported: "page" });
    const asked = await here.client.call("both");
    const one = { action: "accept", content: { value: "Ada" } };

    const handed = saidIn((await there.client.retry(asked, { one, two: decline })).answer);
    await answerPage(linkIn(handed), "Lovelace");

    const done = await goOn(there.client, "photon_continue", { run: runIn(handed) });
    expect(done.text).toBe("Ada Lovelace");
  });

  it("does not count where the tool takes its time to come to the question again", async () => {
    const clocks: HandClock[] = [];
    const slow = tool({
      name: "slow",
      durable: true,
      async *run() {
        // Outside of a step: it is done again in each process.
        clocks[0]?.leap(READING);
        return yield* ask.text("Name?", { id: "name" });
      },
    });
    const { clock, here, there } = await processes(make, { tools: [slow], whenUnsupported: "page" });
    clocks.push(clock);
    const asked = await here.client.call("slow");

    const handed = saidIn((await there.client.retry(asked, { name: decline })).answer);

    expect(linkIn(handed)).toContain("/ask/");
  });

  it("does not count in the process after that, where the server stops before it has come to anything", async () => {
    let gate = Gate.open();
    const gated = tool({
      name: "gated",
      durable: true,
      async *run(__, { signal }) {
        await gate.passed(signal);
        return yield* ask.text("Name?", { id: "name" });
      },
    });
    const options: ServerOptions = { tools: [gated], whenUnsupported: "page" };
    const { clock, here, there, open } = await processes(make, options);
    const asked = await here.client.call("gated");
    gate = new Gate();
    const retry = there.client.beginRetry(asked, { name: decline });
    await gate.reached;
    const closing = there.server.close();
    gate.open();
    await closing;
    const again = await retry.received;
    expect(again.answer.result).toMatchObject({ resultType: "input_required" });
    clock.leap(READING);

    const handed = saidIn((await (await open()).client.retry(again)).answer);

    expect(linkIn(handed)).toContain("/ask/");
  });
});

it("without a store, a reply that has no other way stays what it was, and it is said how quickly it came", async () => {
  const { clock, here, there } = await processes(() => undefined, { tools: [durable] });
  const asked = await here.client.call("durable");
  clock.leap(3);

  const { text, isError } = saidIn((await there.client.retry(asked, { name: decline })).answer);

  expect(isError).toBe(true);
  expect(text).toContain("declined");
  expect(text).toContain("3 ms");
});

it.each(Object.entries(quickly))(
  verifies(["E4", "B10"], "with a shared store alone, the question waits in the inbox (%s)"),
  async (_, reply) => {
    const { clock, store, here, there } = await processes(shared, { tools: [durable] });
    const asked = await here.client.call("durable");
    clock.leap(3);
    const inbox = openInbox({ store: store as Store, keys, clock });
    const retry = there.client.retry(asked, { name: reply });
    await expect.poll(() => clock.setFor(PAGE_WAIT_MS)).toBe(1);
    const [waiting] = (await inbox.list()).runs;

    await inbox.answer(waiting?.run ?? "", "name", { action: "accept", value: "Ada" });

    expect(saidIn((await retry).answer).text).toBe("Hello, Ada");
  },
);

it(
  verifies(["B4", "E4"], "a call that only the process has that asked: the other passes the reply on"),
  async () => {
    const { clock, here, there } = await processes(shared, { tools: [greet], whenUnsupported: "page" });
    const asked = await here.client.call("greet");
    clock.leap(3);

    const handed = saidIn((await there.client.retry(asked, { "ask-1": decline })).answer);
    await answerPage(linkIn(handed), "Ada");

    const done = await goOn(there.client, "photon_continue", { run: runIn(handed) });
    expect(done.text).toBe("Hello, Ada");
  },
);

it(
  verifies(["B4", "E4"], "a round of which another question is answered in the inbox at the same time"),
  async () => {
    let beforeAppend: (() => Promise<void>) | undefined;
    const interrupted: MakeStore = (clock) => {
      const store = memoryStore(clock);
      return overrideStore(store, {
        async append(...given) {
          const act = beforeAppend;
          beforeAppend = undefined;
          await act?.();
          return store.append(...given);
        },
      });
    };
    const options: ServerOptions = { tools: [both], whenUnsupported: "page" };
    const { clock, store, here } = await processes(interrupted, options);
    const inbox = openInbox({ store: store as Store, keys, clock });
    const asked = await here.client.call("both");
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    beforeAppend = () => inbox.answer(run, "one", { action: "accept", value: "Ada" });

    const one = { action: "accept", content: { value: "Eve" } };
    const handed = saidIn((await here.client.retry(asked, { one, two: decline })).answer);
    await answerPage(linkIn(handed), "Lovelace");

    const done = await goOn(here.client, "photon_continue", { run: runIn(handed) });
    expect(done.text).toBe("Ada Lovelace");
  },
);

it.each(["here", "there"] as const)(
  "a run whose lease takes a while to get, in the process that asked or another (%s)",
  async (where) => {
    let wait = 0;
    const slow: MakeStore = (clock) => {
      const store = memoryStore(clock);
      return overrideStore(store, {
        lease(...given) {
          clock.leap(wait);
          return store.lease(...given);
        },
      });
    };
    const two = await processes(slow, { tools: [durable], whenUnsupported: "page" });
    const asked = await two.here.client.call("durable");
    wait = READING;

    const handed = saidIn((await two[where].client.retry(asked, { name: decline })).answer);

    expect(linkIn(handed)).toContain("/ask/");
  },
);

it("a run whose lease the process still waits for when it stops: the next process knows when the reply came", async () => {
  let gate = Gate.open();
  const gated: MakeStore = (clock) => {
    const store = memoryStore(clock);
    return overrideStore(store, {
      async lease(...given) {
        await gate.passed();
        return store.lease(...given);
      },
    });
  };
  const options: ServerOptions = { tools: [durable], whenUnsupported: "page" };
  const { clock, here, there, open } = await processes(gated, options);
  const asked = await here.client.call("durable");
  gate = new Gate();
  const retry = there.client.beginRetry(asked, { name: decline });
  await gate.reached;
  const closing = there.server.close();
  const again = await retry.received;
  gate.open();
  await closing;
  expect(again.answer.result).toMatchObject({ resultType: "input_required" });
  clock.leap(READING);

  const handed = saidIn((await (await open()).client.retry(again)).answer);

  expect(linkIn(handed)).toContain("/ask/");
});
