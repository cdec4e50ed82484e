import { describe, expect, it } from "vitest";
import { InvalidDefinition, step } from "@photon/core";
import { verifies } from "../../../test/requirements.ts";

describe("step", () => {
  it(verifies("E1", "makes frozen data, and does nothing by itself"), () => {
    let done = 0;
    const pay = (): number => ++done;

    const effect = step("pay", pay);

    expect(effect).toEqual({ emit: "step", step: "call", name: "pay", run: pay });
    expect(Object.isFrozen(effect)).toBe(true);
    expect(done).toBe(0);
  });

  it("has onUnknown", () => {
    expect(step("pay", () => 1, { onUnknown: "retry" })).toMatchObject({ onUnknown: "retry" });
  });

  it.each([
    ["now", step.now()],
    ["random", step.random()],
    ["uuid", step.uuid()],
  ])("makes frozen data of step.%s", (kind, effect) => {
    expect(effect).toEqual({ emit: "step", step: kind, name: `step.${kind}` });
    expect(Object.isFrozen(effect)).toBe(true);
  });

  it("hides its iterator, which yields the step once and returns what it is resumed with", () => {
    const effect = step("pay", () => 1);
    const iterator = effect[Symbol.iterator]();

    expect(Object.keys(effect)).not.toContain("Symbol(Symbol.iterator)");
    expect(Object.getOwnPropertyDescriptor(effect, Symbol.iterator)?.enumerable).toBe(false);
    expect(iterator.next(undefined).value).toBe(effect);
    expect(iterator.next(7)).toEqual({ done: true, value: 7 });
  });

  it.each(["", "pay#2", 42, undefined])("refuses %j for a name", (name) => {
    expect(() => step(name as never, () => 1)).toThrow(InvalidDefinition);
    expect(() => step(name as never, () => 1)).toThrow('without "#"');
  });

  it("refuses a value that is not a function, naming the step", () => {
    expect(() => step("pay", 42 as never)).toThrow(/"pay" must be a function, not the number 42/);
  });

  it.each(["again", 42])("refuses %j for onUnknown, naming the step", (onUnknown) => {
    expect(() => step("pay", () => 1, { onUnknown: onUnknown as never })).toThrow(/onUnknown.*"pay"/);
  });
});
