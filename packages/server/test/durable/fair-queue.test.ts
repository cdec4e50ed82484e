import { describe, expect, it } from "vitest";
import { FairQueue, type QueueLimits } from "../../src/background/fair-queue.ts";

interface Worked {
  readonly queue: FairQueue;
  /** The items in the order in which work on them began. */
  readonly begun: readonly string[];
  /** Ends the work on an item; settles when the queue has taken notice. */
  readonly end: (item: string) => Promise<void>;
}

function worked(limits: QueueLimits): Worked {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = new FairQueue(limits, (item) => {
    begun.push(item);
    return new Promise((resolve) => {
      ends.set(item, resolve);
    });
  });
  return {
    queue,
    begun,
    async end(item) {
      const working = queue.working(item);
      ends.get(item)?.();
      await working;
    },
  };
}

describe("a fair queue", () => {
  it("gives each key a turn", async () => {
    const { queue, begun, end } = worked({ total: 1, perKey: 1 });
    for (const item of ["a1", "a2", "a3"]) queue.add("a", item);
    for (const item of ["b1", "b2"]) queue.add("b", item);
    queue.add("c", "c1");

    for (const item of ["a1", "a2", "b1", "c1", "a3", "b2"]) await end(item);

    expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  it("works on no more items of a key than its limit", async () => {
    const { queue, begun, end } = worked({ total: 10, perKey: 2 });
    for (const item of ["a1", "a2", "a3", "a4"]) queue.add("a", item);
    queue.add("b", "b1");
    expect(begun).toEqual(["a1", "a2", "b1"]);

    await end("b1");
    expect(begun).toEqual(["a1", "a2", "b1"]);

    await end("a2");
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("works on no more items than its limit for all keys", async () => {
    const { queue, begun, end } = worked({ total: 2, perKey: 2 });
    for (const key of ["a", "b", "c"]) queue.add(key, `${key}1`);
    expect(begun).toEqual(["a1", "b1"]);

    await end("a1");

    expect(begun).toEqual(["a1", "b1", "c1"]);
  });

  it("works once on an item that was added twice while it waited", async () => {
    const { queue, begun, end } = worked({ total: 1, perKey: 1 });
    for (const item of ["a1", "a2", "a2"]) queue.add("a", item);

    await end("a1");
    await end("a2");

    expect(begun).toEqual(["a1", "a2"]);
    expect(queue.working("a2")).toBeUndefined();
  });

  it("works again on an item that was added while it was worked on, and not at the same time", async () => {
    const { queue, begun, end } = worked({ total: 3, perKey: 3 });
    for (const item of ["a1", "a1", "a2"]) queue.add("a", item);
    expect(begun).toEqual(["a1", "a2"]);

    await end("a1");

    expect(begun).toEqual(["a1", "a2", "a1"]);
  });

  it("settles when work has ended, and begins nothing that was cleared", async () => {
    const { queue, begun, end } = worked({ total: 1, perKey: 1 });
    for (const item of ["a1", "a2"]) queue.add("a", item);

    queue.clear();
    const idle = queue.idle();
    await end("a1");
    await idle;

    expect(begun).toEqual(["a1"]);
  });
});
