/** A state belongs to one call of one principal; any other use of it is -32602, and says no more than that (row E3). */
import { randomBytes } from "node:crypto";
import { ask, prompt, resource, step, tool } from "@photon/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import {
  type Exchange,
  StatelessClient,
  accepted,
  stateIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";

const input = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "object", properties: { c: {}, d: {} } } },
} as const;

let begun = 0;
const named = (name: string, durable = false): ReturnType<typeof tool> =>
  tool({
    name,
    durable,
    input,
    async *run() {
      begun += 1;
      return `Hello, ${yield* ask.text("Name?")}`;
    },
  });

const key = (): string => randomBytes(32).toString("base64");
const ada = accepted({ "ask-1": "Ada" });

/** The same state, for another call. */
const withState = (received: Exchange, method: string, params: Fields): Exchange => ({
  ...received,
  asked: { method, params },
});

/** It was refused, and nobody could tell why; nothing has run. */
function expectRefused({ answer }: Exchange): void {
  expect(answer.error).toEqual({ code: -32602, message: "Invalid or expired requestState." });
}

describe("a state", () => {
  it(verifies("E3", "that was changed anywhere is refused, and the run is untouched"), async () => {
    const { client, server } = await serveStateless({ tools: [named("greet", true)] });
    const asked = await client.call("greet", { a: 1 });
    const state = stateIn(asked);
    begun = 0;

    const changed = (requestState: unknown): Promise<Exchange> =>
      client.request("tools/call", { ...asked.asked.params, requestState, inputResponses: ada });
    for (const bad of [`${state}-TAMPERED`, "", "x", state.slice(1), state.slice(0, -1), state.toUpperCase()])
      expectRefused(await changed(bad));
    for (const bad of [null, 7, true, {}, [state], { state }]) expectRefused(await changed(bad));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(state.length - 1),
        fc.constantFrom("A", "z", "0", "9", "-", "_"),
        async (at, other) => {
          fc.pre(state[at] !== other);
          expectRefused(await changed(state.slice(0, at) + other + state.slice(at + 1)));
        },
      ),
      { numRuns: 200 },
    );

    expect({ begun, parked: server.parked }).toEqual({ begun: 0, parked: 1 });
    expect(textOf((await client.retry(asked, ada)).answer)).toBe("Hello, Ada");
  });

  it(verifies("E3", "of another tool, prompt, resource or method is refused"), async () => {
    const greeting = prompt({
      name: "greet",
      async *run() {
        begun += 1;
        return "Hello";
      },
    });
    const page = resource({
      uri: "page://{number}",
      async *run({ number }) {
        begun += 1;
        return yield* ask.text(`Page ${number}?`);
      },
    });
    const { client } = await serveStateless({
      tools: [named("greet"), named("meet")],
      prompts: [greeting],
      resources: [page],
    });
    const asked = await client.call("greet");
    const read = await client.request("resources/read", { uri: "page://1" });
    begun = 0;

    expectRefused(await client.retry(withState(asked, "tools/call", { name: "meet", arguments: {} }), ada));
    expectRefused(await client.retry(withState(asked, "prompts/get", { name: "greet", arguments: {} }), ada));
    expectRefused(await client.retry(withState(read, "resources/read", { uri: "page://2" }), ada));
    expectRefused(await client.retry(withState(read, "tools/call", { name: "greet", arguments: {} }), ada));

    expect(begun).toBe(0);
  });

  it(verifies("E3", "with other arguments is refused; the order of their members is nothing"), async () => {
    const { client } = await serveStateless({ tools: [named("greet", true)] });
    const asked = await client.call("greet", { a: 1, b: { c: [1, 2], d: "x" } });
    begun = 0;
    const retryWith = (given: Fields): Promise<Exchange> =>
      client.retry(withState(asked, "tools/call", { name: "greet", arguments: given }), ada);

    for (const other of [
      {},
      { a: 2, b: { c: [1, 2], d: "x" } },
      { a: "1", b: { c: [1, 2], d: "x" } },
      { a: 1, b: { c: [2, 1], d: "x" } },
      { a: 1, b: { c: [1, 2], d: "x", e: null } },
      { a: 1, b: { c: [1, 2] } },
    ])
      expectRefused(await retryWith(other));
    expectRefused(await client.retry(withState(asked, "tools/call", { name: "greet" }), ada));
    expect(begun).toBe(0);
    const done = await retryWith({ b: { d: "x", c: [1, 2] }, a: 1 });

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });

  it("is of what was given, whatever a body has made of it since", async () => {
    const careless = tool({
      name: "careless",
      input: { type: "object" },
      async *run(given: Record<string, unknown>) {
        given["more"] = "than was given";
        delete given["a"];
        return `Hello, ${yield* ask.text("Name?")} ${yield* ask.text("And?")}`;
      },
    });
    const { client } = await serveStateless({ tools: [careless] });
    const asked = await client.call("careless", { a: 1 });

    const again = await client.retry(asked, ada);
    const done = await client.accept(again, { "ask-2": "Lovelace" });

    expect(textOf(done.answer)).toBe("Hello, Ada Lovelace");
  });

  it(verifies("E3", "of somebody else is refused, and is still its owner's"), async () => {
    const { url } = await listening({
      tools: [named("greet", true)],
      authenticate: ({ headers }) => headers.authorization,
    });
    const [one, other] = ["one", "other"].map(
      (authorization) => new StatelessClient(overStatelessHttp(url, { authorization })),
    );
    if (one === undefined || other === undefined) throw new Error("There are two.");
    const asked = await one.call("greet");

    expectRefused(await other.retry(asked, ada));
    const done = await one.retry(asked, ada);
    expectRefused(await other.retry(asked, ada));

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });

  it(verifies("E3", "of another server is refused, unless they have the same keys"), async () => {
    const [mine, theirs] = [key(), key()];
    const at = async (keys: readonly string[]): Promise<StatelessClient> =>
      (await serveStateless({ tools: [named("greet", true)], keys })).client;
    const asked = await (await at([mine])).call("greet");
    begun = 0;

    expectRefused(await (await at([theirs])).retry(asked, ada));
    expectRefused(await (await at([])).retry(asked, ada));
    expect(begun).toBe(0);
    for (const keys of [[mine], [theirs, mine], [mine, theirs]])
      expect(textOf((await (await at(keys)).retry(asked, ada)).answer)).toBe("Hello, Ada");
  });

  it(verifies("E3", "that has expired is refused, as if it were any other"), async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [named("greet", true)], clock });
    const asked = await client.call("greet");
    begun = 0;

    clock.leap(7 * 24 * 3_600_000 + 600_000);

    expectRefused(await client.retry(asked, ada));
    expect(begun).toBe(0);
  });

  it(verifies(["E3", "B6"], "shows nothing of what was answered and done, nor of what comes"), async () => {
    const secretive = tool({
      name: "secretive",
      durable: true,
      input,
      async *run() {
        const name = yield* ask.text("Name?", { id: "maiden-name" });
        const card = yield* step("look-up-card", () => ({ number: "4929-1234" }));
        yield* ask.confirm(`Take ${card.number} of ${name}?`);
        return "done";
      },
    });
    const { client } = await serveStateless({ tools: [secretive] });

    const asked = await client.call("secretive", { a: 3_133_731_337 });
    const next = await client.accept(asked, { "maiden-name": "Lovelace-Byron" });

    for (const state of [stateIn(asked), stateIn(next)]) {
      const spelled = [
        state,
        ...["base64url", "hex"].map((spelling) => Buffer.from(state, spelling as "hex").toString("latin1")),
      ];
      // Words of six letters and more: shorter ones occur in random text by chance.
      for (const shown of spelled)
        expect(shown).not.toMatch(
          /lovelace|-byron|4929-1234|3133731337|maiden|-up-card|secretive|accept|journal/i,
        );
    }
    expect(stateIn(next).length).toBeGreaterThan(stateIn(asked).length);
  });

  it("of a tool that is not durable carries no answers, and does not grow with them", async () => {
    const plain = tool({
      name: "plain",
      async *run() {
        for (;;) yield* ask.text("More?", { id: "more" });
      },
    });
    const { client } = await serveStateless({ tools: [plain] });

    const one = await client.call("plain");
    const two = await client.accept(one, { more: "x".repeat(10_000) });

    expect(Math.abs(stateIn(two).length - stateIn(one).length)).toBeLessThan(20);
    expect(stateIn(one).length).toBeLessThan(400);
  });

  it("brought to what throws something that nobody can spell is answered, and so is the next", async () => {
    const odd = prompt({
      name: "odd",
      async *run() {
        yield* ask.text("Name?");
        throw Object.create(null);
      },
    });
    const { client } = await serveStateless({ prompts: [odd], report: () => {} });
    const asked = await client.request("prompts/get", { name: "odd" });

    const first = await client.retry(asked, ada);
    const again = await client.retry(asked, ada);

    expect([first, again].map(({ answer }) => answer.error?.code)).toEqual([-32603, -32603]);
  });
});
