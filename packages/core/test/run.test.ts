import {
  ask,
  InvalidReply,
  InvalidInput,
  MissingCapabilities,
  run,
  tool,
  type OpenQuestion,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, loadChecks, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const greeting = toolOf(async function* () {
  return `Hello, ${yield* ask.text("Name?")}`;
});

describe("run", () => {
  it("asks the host and gives back what the tool returned", async () => {
    const asked: OpenQuestion[] = [];

    expect(
      await run(
        greeting,
        {},
        {
          ask: (question) => {
            asked.push(question);
            return accept("Ada");
          },
        },
      ),
    ).toBe("Hello, Ada");
    expect(asked).toMatchObject([{ key: "ask-1", message: "Name?", attempt: 1 }]);
  });

  it("asks the questions of one round one after another, in their order", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ b: ask.text("B?"), a: ask.text("A?"), c: ask.text("C?") });
    });
    const order: string[] = [];

    await run(
      story,
      {},
      {
        ask: async ({ key }) => {
          order.push(`${key} opens`);
          await Promise.resolve();
          order.push(`${key} closes`);
          return accept(key);
        },
      },
    );

    expect(order).toEqual(["b opens", "b closes", "a opens", "a closes", "c opens", "c closes"]);
  });

  it("asks nothing more of a round that has failed", async () => {
    const story = toolOf(async function* () {
      yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    });
    const asked: string[] = [];

    await thrownBy(
      run(
        story,
        {},
        {
          ask: ({ key }) => {
            asked.push(key);
            return { action: "decline" };
          },
        },
      ),
    );

    expect(asked).toEqual(["a"]);
  });

  it(
    verifies("A7", "refuses an input that does not fit before anything runs, naming the field"),
    async () => {
      let began = false;
      const book = tool({
        name: "book",
        input: { type: "object", properties: { nights: { type: "integer" } }, required: ["nights"] },
        async *run() {
          began = true;
        },
      });

      for (const input of [{}, { nights: "two" }, null, "two", []]) {
        expect(await thrownBy(run(book, input))).toBeInstanceOf(InvalidInput);
      }
      expect(await thrownBy(run(book, { nights: "two" }))).toMatchObject({
        message: expect.stringContaining("nights"),
      });
      expect(began).toBe(false);
    },
  );

  it("rejects where the tool needs what the client cannot do", async () => {
    const needy = tool({
      needs: ["url"],
      async *run() {
        return "fine";
      },
    });
    const client = { name: "c", version: "1", can: { form: true, url: false, sample: true, roots: true } };

    expect(await thrownBy(run(needy, {}, { client }))).toBeInstanceOf(MissingCapabilities);
  });

  it("closes the body and rejects where the host cannot ask", async () => {
    let closed = false;
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } finally {
        closed = true;
      }
    });

    await expect(
      run(
        story,
        {},
        {
          ask: () => {
            throw new Error("no terminal");
          },
        },
      ),
    ).rejects.toThrow("no terminal");
    expect(closed).toBe(true);
  });

  it("closes the body and rejects if the host gives a malformed reply", async () => {
    let closed = false;
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } finally {
        closed = true;
      }
    });

    expect(await thrownBy(run(story, {}, { ask: () => "Ada" as never }))).toBeInstanceOf(InvalidReply);
    expect(closed).toBe(true);
  });
});

describe("the signal of a host (§2.4)", () => {
  it(
    verifies("B8", "closes the run while a question is open, and aborts the question's signal"),
    async () => {
      const controller = new AbortController();
      const clock = testClock();
      const seen: unknown[] = [];
      const story = toolOf(async function* () {
        try {
          return yield* ask.text("Name?");
        } finally {
          seen.push("finally");
        }
      });
      const running = run(
        story,
        {},
        {
          clock,
          signal: controller.signal,
          ask: (_, { signal }) => {
            signal.addEventListener("abort", () => seen.push("no longer asked"));
            return new Promise(() => {});
          },
        },
      );
      await clock.advance("1s");

      controller.abort(new Error("client left"));

      await expect(running).rejects.toThrow("client left");
      expect(new Set(seen)).toEqual(new Set(["finally", "no longer asked"]));
    },
  );

  it("that is aborted already keeps the body from beginning", async () => {
    let began = false;
    const story = toolOf(async function* () {
      began = true;
    });

    await expect(run(story, {}, { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow(
      "too late",
    );
    expect(began).toBe(false);
  });

  it("that is aborted at the very beginning ends the run with its reason", async () => {
    const controller = new AbortController();
    const running = run(greeting, {}, { signal: controller.signal, ask: () => new Promise(() => {}) });

    controller.abort(new Error("client left"));

    await expect(running).rejects.toThrow("client left");
  });

  it("ends the run with its own reason where it was aborted without one", async () => {
    const controller = new AbortController();
    const clock = testClock();
    const running = thrownBy(
      run(greeting, {}, { clock, signal: controller.signal, ask: () => new Promise(() => {}) }),
    );
    await clock.advance("1s");

    controller.abort();

    expect(await running).toBe(controller.signal.reason);
  });

  it("is not listened to any more when the run is over", async () => {
    const listeners = new Set<unknown>();
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (type: string, listener: () => void) => {
        listeners.add(listener);
        add(type, listener);
      },
      removeEventListener: (type: string, listener: () => void) => {
        listeners.delete(listener);
        remove(type, listener);
      },
    });

    await run(greeting, {}, { signal, ask: () => accept("Ada") });

    expect(listeners.size).toBe(0);
  });
});
