/** Leases and messages of stores that expire by a clock of the host. Those in Redis expire by the clock of its server. */
import { expect, it } from "vitest";
import { collectMessages, type StoreUnderTest } from "@photon/server/store-contract";
import type { HostClocks } from "./host-clocks.ts";

/** A store whose clocks the test moves. */
export interface ClockedStore extends StoreUnderTest {
  readonly clocks: HostClocks;
}

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;
const SHORT = 40;

export function wallClockContract(open: () => Promise<ClockedStore>): void {
  it("keeps a lease when the wall clock jumps forward by an hour", async () => {
    const { store, clocks } = await open();
    await store.lease("name", "ada", SHORT);

    clocks.moveWallClock(HOUR);
    // Sweeps what has expired.
    await store.putIfAbsent("other name", "value", clocks.now() + HOUR);

    expect(await store.lease("name", "bob", SHORT)).toBe(false);
  });

  it("ends a lease in time when the wall clock jumps back by ten minutes", async () => {
    const { store, clocks } = await open();
    await store.lease("name", "ada", SHORT);

    clocks.moveWallClock(-TEN_MINUTES);

    expect(await store.lease("name", "bob", SHORT)).toBe(false);
    clocks.pass(SHORT);
    expect(await store.lease("name", "bob", SHORT)).toBe(true);
  });

  it("delivers an unread message after the wall clock has jumped forward by an hour", async () => {
    const world = await open();
    const far = await collectMessages(await world.another(), "channel");
    await world.store.publish("channel", "before");

    world.clocks.moveWallClock(HOUR);
    await world.store.publish("channel", "after");

    expect(await far.received(2)).toEqual(["before", "after"]);
  });
}
