/** Who goes on with a run: one at a time, in one process as in many (row E1). */
import { systemClock } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { Holds } from "../../src/durable/leases.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { Gate } from "../wire/gate.ts";

/** Processes that share a store, by their names. */
function processes(...names: readonly string[]): readonly Holds[] {
  const store = memoryStore();
  const settings = { clock: systemClock, lease: 60_000, report() {} };
  return names.map((name) => new Holds(store, name, settings));
}

describe("a run that somebody goes on with", () => {
  it(verifies("E1", "waits for them also where both are in one process"), async () => {
    const [here] = processes("a") as [Holds];
    const order: string[] = [];
    const letGo = await here.take("run");
    const second = here.take("run").then((letGoToo) => {
      order.push("second");
      return letGoToo();
    });

    expect(await here.tryToTake("run")).toBeUndefined();
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
    const [here] = processes("a") as [Holds];

    const [letGo, other] = await Promise.all([here.take("run"), here.tryToTake("run")]);

    expect(other).toBeUndefined();
    await letGo();
    expect(await here.tryToTake("run")).toBeDefined();
  });

  it("is not taken by a process that was closed while it waited", async () => {
    const [here, elsewhere] = processes("a", "b") as [Holds, Holds];
    await here.take("run");
    const waiting = here.take("run");

    await here.close();

    await expect(waiting).rejects.toThrow("The server was closed.");
    expect(await elsewhere.tryToTake("run")).toBeDefined();
  });

  it.each(["take", "tryToTake"] as const)(
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
      const here = new Holds(slow, "a", settings);
      const taking = Promise.allSettled([here[how]("run")]);
      await gate.reached;

      await here.close();
      gate.open();
      await taking;

      expect(await new Holds(store, "b", settings).tryToTake("run")).toBeDefined();
    },
  );

  it("is handed on in a process without another one coming between", async () => {
    const [here, elsewhere] = processes("a", "b") as [Holds, Holds];
    const letGo = await here.take("run");
    const next = here.take("run");

    await letGo();

    expect(await elsewhere.tryToTake("run")).toBeUndefined();
    const letGoToo = await next;
    await letGoToo();
    expect(await elsewhere.tryToTake("run")).toBeDefined();
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
    const here = new Holds(failing, "a", { clock: systemClock, lease: 60_000, report() {} });

    const [first, second] = await Promise.allSettled([here.take("run"), here.take("run")]);

    expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
    await here.close();
  });
});
