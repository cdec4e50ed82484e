/** Who goes on with a run: one at a time, in one process as in many (row E1). */
import { systemClock } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { LeaseManager } from "../../src/durable/leases.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { Gate } from "../wire/gate.ts";

/** Processes that share a store, by their names. */
function processes(...names: readonly string[]): readonly LeaseManager[] {
  const store = memoryStore();
  const settings = { clock: systemClock, lease: 60_000, report() {} };
  return names.map((name) => new LeaseManager(store, name, settings));
}

describe("a run that somebody goes on with", () => {
  it(verifies("E1", "waits for them also where both are in one process"), async () => {
    const [here] = processes("a") as [LeaseManager];
    const order: string[] = [];
    const letGo = await here.acquire("run");
    const second = here.acquire("run").then((letGoToo) => {
      order.push("second");
      return letGoToo();
    });

    expect(await here.tryAcquire("run")).toBeUndefined();
    // Whoever could go on now would have.
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    order.push("first is done");
    await letGo();
    await second;

    expect(order).toEqual(["first is done", "second"]);
  });

  it("is not held by a second of the same process that began to take it at the same time", async () => {
    const [here] = processes("a") as [LeaseManager];

    const [letGo, other] = await Promise.all([here.acquire("run"), here.tryAcquire("run")]);

    expect(other).toBeUndefined();
    await letGo();
    expect(await here.tryAcquire("run")).toBeDefined();
  });

  it("is not taken by a process that was closed while it waited", async () => {
    const [here, elsewhere] = processes("a", "b") as [LeaseManager, LeaseManager];
    await here.acquire("run");
    const waiting = here.acquire("run");

    await here.close();

    await expect(waiting).rejects.toThrow("The server was closed.");
    expect(await elsewhere.tryAcquire("run")).toBeDefined();
  });

  it.each(["acquire", "tryAcquire"] as const)(
    "is left to others where the store grants it to a process that was closed meanwhile (%s)",
    async (how) => {
      const store = memoryStore();
      const gate = new Gate();
      const slow = {
        release: store.release.bind(store),
        async lease(name: string, holder: string, milliseconds: number) {
          await gate.passed();
          return store.lease(name, holder, milliseconds);
        },
      };
      const settings = { clock: systemClock, lease: 60_000, report() {} };
      const here = new LeaseManager(slow, "a", settings);
      const taking = Promise.allSettled([here[how]("run")]);
      await gate.reached;

      await here.close();
      gate.open();
      await taking;

      expect(await new LeaseManager(store, "b", settings).tryAcquire("run")).toBeDefined();
    },
  );

  it("is handed on in a process without another one coming between", async () => {
    const [here, elsewhere] = processes("a", "b") as [LeaseManager, LeaseManager];
    const letGo = await here.acquire("run");
    const next = here.acquire("run");

    await letGo();

    expect(await elsewhere.tryAcquire("run")).toBeUndefined();
    const letGoToo = await next;
    await letGoToo();
    expect(await elsewhere.tryAcquire("run")).toBeDefined();
  });

  it("can be taken by whoever waited where the first could not reach the store", async () => {
    const store = memoryStore();
    let tries = 0;
    const failing = {
      release: store.release.bind(store),
      async lease(name: string, holder: string, milliseconds: number) {
        tries += 1;
        if (tries === 1) throw new Error("not reached");
        return store.lease(name, holder, milliseconds);
      },
    };
    const here = new LeaseManager(failing, "a", { clock: systemClock, lease: 60_000, report() {} });

    const [first, second] = await Promise.allSettled([here.acquire("run"), here.acquire("run")]);

    expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
    await here.close();
  });
});
