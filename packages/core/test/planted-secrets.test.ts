/** A secret, planted anywhere in whatever leaves a run by whatever way, is found in nothing that comes out. */
import { inspect } from "node:util";
import fc from "fast-check";
import {
  ask,
  emit,
  errorResult,
  memoryJournal,
  resultOf,
  startRun,
  step,
  type Body,
  type Tool,
} from "@photon/core";
import { describe, expect, it } from "vitest";
import { accept, askedBy, toolOf } from "./run-helpers.ts";

const SECRET = "Zq7PlantedSecret81";

/** What keeps a secret where no property shows it. */
const named = (name: string): new () => object => {
  const made = class {
    readonly kind = "named";
  };
  Object.defineProperty(made, "name", { value: name });
  return made;
};

class Telling extends Error {
  readonly #token = SECRET;
  override get message(): string {
    return this.#token;
  }
}

class Odd extends TypeError {
  readonly token: unknown;
  constructor(token: unknown) {
    super("odd");
    this.token = token;
  }
  override toString(): string {
    return `odd ${String(this.token)}`;
  }
}

const settled = (value: unknown): Promise<unknown> => Promise.resolve(value);
const rejected = (value: unknown): Promise<unknown> => {
  const promise = Promise.reject(new Error(String(value)));
  promise.catch(() => {});
  return promise;
};
const changing = (): unknown => {
  let reads = 0;
  return new Proxy(new Error("harmless"), {
    get: (target, key, receiver) =>
      key === "message" && (reads += 1) > 2 ? SECRET : (Reflect.get(target, key, receiver) as unknown),
  });
};

/** Each makes something that has the secret in it. */
const seeds: { readonly [name: string]: () => unknown } = {
  text: () => `with ${SECRET} in it`,
  "boxed text": () => Object(SECRET) as unknown,
  symbol: () => Symbol(SECRET),
  "boxed symbol": () => Object(Symbol(SECRET)) as unknown,
  "a registered symbol": () => Symbol.for(SECRET),
  "a named function": () => Object.defineProperty(() => 1, "name", { value: SECRET }),
  "a function that is spelled with it": () => Object.assign(() => 1, { toString: () => SECRET }),
  "a function with a property": () => Object.assign(() => 1, { token: SECRET }),
  "a class of that name": () => named(SECRET),
  "an instance of a class of that name": () => new (named(SECRET))(),
  "an error of a class of that name": () => {
    const error = new Error("harmless");
    Object.setPrototypeOf(
      error,
      Object.create(Error.prototype, { constructor: { value: named(SECRET) } }) as object,
    );
    return error;
  },
  expression: () => new RegExp(SECRET),
  "a settled promise": () => settled(SECRET),
  "a rejected promise": () => rejected(SECRET),
  "a promise of an object": () => settled({ deep: { token: SECRET } }),
  getter: () => ({
    get token(): string {
      return SECRET;
    },
  }),
  "a getter that throws": () => ({
    get token(): string {
      throw new Error(SECRET);
    },
  }),
  "a proxy": () => new Proxy({ token: SECRET }, {}),
  "a proxy of a function": () =>
    new Proxy(
      Object.assign(() => 1, { token: SECRET }),
      {},
    ),
  "a proxy that throws": () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error(SECRET);
        },
      },
    ),
  "an error that changes its mind": changing,
  "an error with a message of its class": () => new Telling(),
  "an error with something odd": () => new Odd(SECRET),
  "an error in a promise as a cause": () => new Error("harmless", { cause: settled(SECRET) }),
  "a name of a property": () => ({ [SECRET]: 1 }),
  "a symbol of a property": () => ({ [Symbol(SECRET)]: 1 }),
  "a hidden property": () => Object.defineProperty({}, "token", { value: SECRET }),
  "a hidden property of an error": () => Object.defineProperty(new Error("no"), "token", { value: SECRET }),
  frozen: () => Object.freeze({ token: SECRET }),
  "a frozen error": () => Object.freeze(new Error(SECRET)),
  map: () => new Map<unknown, unknown>([[{ SECRET }, { deep: { deeper: { token: SECRET } } }]]),
  set: () => new Set([[SECRET]]),
  address: () => new URL(`https://example.com/?token=${SECRET}`),
  bytes: () => Buffer.from(SECRET),
  "bytes in another view": () => new DataView(new TextEncoder().encode(SECRET).buffer),
  "something that spells itself": () => ({ toJSON: () => SECRET }),
  "something that prints itself": () => ({ [inspect.custom]: () => SECRET }),
  "what it inherits": () => Object.create({ message: SECRET, name: SECRET }) as unknown,
  aggregate: () => new AggregateError([new Error(SECRET)], "several"),
};

/** Each puts something into something else. */
const wrappings: readonly ((inner: unknown) => unknown)[] = [
  (inner) => [inner, 1],
  (inner) => ({ inner, list: [inner] }),
  (inner) => new Error("outer", { cause: inner }),
  (inner) => Object.assign(new RangeError("outer"), { inner }),
  (inner) => new AggregateError([inner], "several"),
  (inner) => new Map([["inner", inner]]),
  (inner) => new Set([inner]),
  (inner) => new Odd(inner),
  (inner) => Object.assign(Object.create(null) as object, { inner }),
  (inner) => ({
    get inner() {
      return inner;
    },
  }),
];

const planted = fc
  .tuple(
    fc.constantFrom(...Object.keys(seeds)),
    fc.array(fc.nat({ max: wrappings.length - 1 }), { maxLength: 3 }),
  )
  .map(([seed, wraps]) => ({
    seed,
    wraps,
    make: () => wraps.reduce((inner, at) => wrappings[at]?.(inner), seeds[seed]?.()),
  }));

/** Ways to leave a run. */
const ways: { readonly [name: string]: (value: unknown) => Body<unknown> } = {
  async *thrown(value) {
    throw value;
  },
  async *returned(value) {
    return value;
  },
  async *logged(value) {
    yield emit.log("error", value);
  },
  async *yielded(value) {
    yield value as never;
  },
  async *"thrown by a step"(value) {
    yield* step("work", () => {
      throw value;
    });
  },
  async *"returned by a step"(value) {
    yield* step("work", () => value as never);
  },
  async *"thrown on the way out"(value) {
    try {
      yield emit.log("info", value);
    } finally {
      yield value as never;
    }
  },
};

/** Everything that could be written of something. */
function written(value: unknown): string {
  const texts = [
    () => inspect(value),
    () => inspect(value, { depth: 20, showHidden: true, getters: true, maxStringLength: null }),
    () => String(value),
    () => JSON.stringify(value),
    () => (value instanceof Error ? `${value.name} ${value.message} ${value.stack}` : ""),
    () =>
      errorResult(value)
        .content.map((block) => JSON.stringify(block))
        .join(" "),
  ];
  return texts
    .map((write) => {
      try {
        return write();
      } catch (error) {
        return inspect(error);
      }
    })
    .join("\n");
}

async function leaving(tool: Tool<never>): Promise<string> {
  const out: unknown[] = [];
  const journal = memoryJournal();
  const running = startRun(tool, {} as never, {
    journal,
    emit: (effect) => void out.push(effect),
    report: (error) => void out.push(error),
  });
  await askedBy(running);
  try {
    const turn = await running.next({ "ask-1": accept(SECRET) });
    out.push(turn);
    if (turn.done) out.push(await resultOf(tool, turn));
  } catch (error) {
    out.push(error);
  }
  return [...out, journal].map(written).join("\n");
}

describe.each(Object.keys(ways))("a secret that is %s", (way) => {
  it("is found in nothing that comes out, wherever it was planted", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(planted, async ({ make }) => {
        const tool = toolOf(async function* () {
          yield* ask.secret("Token?");
          return yield* ways[way]?.(make()) ?? [];
        });

        expect(await leaving(tool as Tool<never>)).not.toContain(SECRET);
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.keys(seeds))("is found in nothing that comes out: %s", async (seed) => {
    const tool = toolOf(async function* () {
      yield* ask.secret("Token?");
      return yield* ways[way]?.(seeds[seed]?.()) ?? [];
    });

    expect(await leaving(tool as Tool<never>)).not.toContain(SECRET);
  });
});
