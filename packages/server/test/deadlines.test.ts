import { testClock } from "@photon/core/testing";
import { expect, it } from "vitest";
import { DeadlineQueue, type DeadlineEntry } from "../src/calls/question-deadlines.ts";
import { countingClock } from "./wire/counting-clock.ts";

/** Adds something with so much time left; its name is noted when that is over, and `taken` is called. */
function timer(deadlines: DeadlineQueue, now: number, over: string[]) {
  return (name: string, left: number, taken?: () => void) => {
    const timed: DeadlineEntry = {
      deadline: now + left,
      onExpired() {
        over.push(name);
        taken?.();
      },
      previous: undefined,
      next: undefined,
    };
    deadlines.add(timed, left);
    return () => deadlines.delete(timed, left);
  };
}

it("tells each when its time is over, whatever the order they came in", async () => {
  const clock = testClock();
  const over: string[] = [];
  const add = timer(new DeadlineQueue(clock), clock.now(), over);
  add("long", 3000);
  add("short", 1000);
  add("middle", 2000);
  add("short, too", 1000);

  await clock.advance(1000);
  expect(over).toEqual(["short", "short, too"]);
  await clock.advance(1000);
  expect(over).toEqual(["short", "short, too", "middle"]);
  await clock.advance(1000);
  expect(over).toEqual(["short", "short, too", "middle", "long"]);
});

it("tells nothing to what was taken out, and goes on with the others", async () => {
  const clock = testClock();
  const over: string[] = [];
  const add = timer(new DeadlineQueue(clock), clock.now(), over);
  const takeOut = add("first", 1000);
  add("second", 2000);

  takeOut();
  await clock.advance(2000);

  expect(over).toEqual(["second"]);
});

it("has one timer for any number, and none for none", () => {
  const clock = countingClock();
  const add = timer(new DeadlineQueue(clock), clock.now(), []);

  const takeOut = [1000, 2000, 500, 1000].map((left, at) => add(String(at), left));
  expect(clock.running).toBe(1);
  for (const one of takeOut) one();
  expect(clock.running).toBe(0);
});

it("tells nothing to what another that was over has taken out, and goes on behind it", async () => {
  const clock = testClock();
  const over: string[] = [];
  const add = timer(new DeadlineQueue(clock), clock.now(), over);
  add("first", 1000, () => takeOut());
  const takeOut = add("taken by the first", 1000);
  add("third", 1000);

  await clock.advance(1000);

  expect(over).toEqual(["first", "third"]);
});

it("waits for what began while others were told", async () => {
  const clock = testClock();
  const over: string[] = [];
  const deadlines = new DeadlineQueue(clock);
  const add = timer(deadlines, clock.now(), over);
  add("first", 1000, () => timer(deadlines, clock.now(), over)("again", 1000));
  add("last", 5000);

  await clock.advance(1000);
  await clock.advance(1000);
  expect(over).toEqual(["first", "again"]);
  await clock.advance(3000);
  expect(over).toEqual(["first", "again", "last"]);
});
