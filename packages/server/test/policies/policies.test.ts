/** Programs that decide some questions by themselves: what they may answer, and what never. */
import { ask, tool, type Answerer, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { allow, answerDefaults, deny } from "../../src/index.ts";
import { eras } from "../handover/model.ts";

const booking = (name = "book"): Tool<never> =>
  tool({
    name,
    input: { type: "object", properties: { city: { type: "string" } } },
    async *run() {
      const nights = yield* ask.number("Nights?", { id: "nights", max: 30 });
      return `${nights} nights`;
    },
  });

const launch = tool({
  name: "launch",
  async *run() {
    return (yield* ask.confirm("Launch?", { id: "sure", dangerous: true, default: true }))
      ? "launched"
      : "kept";
  },
});

/** What becomes of a call where nobody can be asked but those who answer for the program. */
async function called(
  era: keyof typeof eras,
  answerers: readonly Answerer[],
  tools: readonly Tool<never>[],
  input = {},
): Promise<string> {
  const { model } = await eras[era]({ tools, answerers });
  return (await (await model()).call(tools[0]?.name ?? "", input)).text;
}

describe.each(["2025-11-25", "2026-07-28"] as const)("in %s", (era) => {
  it(
    verifies("B5", "what is allowed is answered, by tool, by key and by a test of the exact input"),
    async () => {
      const rules = [
        { tool: "other", answer: 1 },
        { tool: "book", ask: "rooms", answer: 2 },
        {
          ask: "nights",
          when: (_: unknown, input: unknown) => JSON.stringify(input) === '{"city":"Rome"}',
          answer: 3,
        },
      ];

      expect(await called(era, [allow(rules)], [booking()], { city: "Rome" })).toBe("3 nights");
      expect(await called(era, [allow(rules)], [booking()], { city: "Oslo" })).toContain("cannot be asked");
      expect(await called(era, [allow(rules)], [booking("other")])).toBe("1 nights");
    },
  );

  it(verifies("B3", "what is allowed is checked like any answer, and not given twice"), async () => {
    expect(await called(era, [allow([{ answer: 31 }])], [booking()])).toContain("must be");
  });

  it(verifies("B5", "what is denied is refused with its reason, before what is allowed"), async () => {
    const answerers = [allow([{ answer: 3 }]), deny([{ tool: "book", reason: "bookings are closed" }])];

    expect(await called(era, answerers, [booking()])).toBe(
      '"Nights?" (nights) cannot be asked here: bookings are closed.',
    );
    expect(await called(era, answerers, [booking("other")])).toBe("3 nights");
  });

  it("what is denied for a reason that is a sentence ends with one full stop", async () => {
    const answerers = [deny([{ reason: "Bookings are closed." }])];

    expect(await called(era, answerers, [booking()])).toBe(
      '"Nights?" (nights) cannot be asked here: Bookings are closed.',
    );
  });

  it(verifies("B5", "defaults answer what has one, and decline the rest"), async () => {
    const both = tool({
      name: "both",
      async *run() {
        const name = yield* ask.text("Name?", { default: "Ada" });
        const { action } = yield* ask.outcome(ask.number("Age?"));
        return `${name} ${action}`;
      },
    });

    expect(await called(era, [answerDefaults()], [both])).toBe("Ada decline");
  });

  it(verifies(["B1", "B5"], "what is dangerous is never theirs to confirm"), async () => {
    for (const answerer of [allow([{ answer: true }]), answerDefaults()])
      expect(await called(era, [answerer], [launch])).toContain("cannot be asked");
  });

  it(verifies("B5", "what is dangerous can be denied, with the reason"), async () => {
    const reason = "launches are off";

    expect(await called(era, [deny([{ tool: "launch", reason }])], [launch])).toContain(reason);
  });

  it(verifies("B6", "a secret that is allowed is a secret"), async () => {
    const secretive = tool({
      name: "secretive",
      async *run() {
        return String(yield* ask.secret("Password?", { id: "password" }));
      },
    });

    expect(await called(era, [allow([{ ask: "password", answer: "hunter2hunter2" }])], [secretive])).toBe(
      "[secret]",
    );
  });
});
