import { format, inspect } from "node:util";
import {
  ask,
  emit,
  errorResult,
  InvalidAnswer,
  memoryJournal,
  run,
  Secret,
  startRun,
  step,
  type Body,
  type Emit,
  type RunStep,
} from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, reread, thrownBy, toolOf } from "./run-helpers.ts";

/** Awkward on purpose: quotes for JSON, a space and signs for URLs, letters beyond ASCII for base64. */
const SECRET = 'pä"ss w\\ord/+&=2';

const spellings: readonly (readonly [string, string])[] = [
  ["as it is", SECRET],
  ["inside JSON", JSON.stringify({ token: SECRET })],
  ["inside a URL", `https://example.com/?token=${encodeURIComponent(SECRET)}&x=1`],
  ["as base64", Buffer.from(SECRET).toString("base64")],
  ["as base64 without padding", Buffer.from(SECRET).toString("base64").replaceAll("=", "")],
];

const tells = (text: string): boolean =>
  spellings.some(([, spelling]) => text.includes(spelling)) || text.includes("ss w") || text.includes("ord/");

/** Runs a body that is given the secret, and collects everything that leaves the run. */
async function leaving(body: (token: Secret) => Body<unknown>): Promise<{
  readonly shown: readonly Emit[];
  readonly turn: RunStep<unknown> | undefined;
  readonly error: unknown;
}> {
  const shown: Emit[] = [];
  const story = toolOf(async function* () {
    return yield* body(yield* ask.secret("Token?"));
  });
  const running = startRun(story, {}, { emit: (effect) => void shown.push(effect) });
  await askedBy(running);
  return running.next({ "ask-1": accept(SECRET) }).then(
    (turn) => ({ shown, turn, error: undefined }),
    (error: unknown) => ({ shown, turn: undefined, error }),
  );
}

describe("a secret is taken out of a result in the spelling of", () => {
  // No "#", "?" or backslash, at which an address is divided.
  const value = `pä:ss/wör"d @1'{|}^;$[x]~é`;
  const ascii = (text: string, spell = (hex: string) => hex): string =>
    JSON.stringify(text).replaceAll(
      /[\u0080-\uFFFF]/g,
      (unit) => `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`,
    );
  const addressWith = (set: (url: URL) => void): string => {
    const url = new URL("https://example.com");
    set(url);
    return url.href;
  };
  const lower = (text: string): string => text.replaceAll(/%../g, (byte) => byte.toLowerCase());

  const spelled: Readonly<Record<string, string>> = {
    encodeURI: encodeURI(value),
    "encodeURI, in lower case": lower(encodeURI(value)),
    "the path of an address": new URL(`https://example.com/v1/${value}/x`).href,
    "the query of an address": new URL(`https://example.com/?key=${value}&x`).href,
    "the query of an address, in lower case": lower(new URL(`https://example.com/?key=${value}&x`).href),
    "the query of an address of another scheme": new URL(`postgres://example.com/?key=${value}&x`).href,
    "the fragment of an address": new URL(`https://example.com/#${value}`).href,
    "the password of an address": addressWith((url) => (url.password = value)),
    "a parameter of an address": addressWith((url) => url.searchParams.set("key", value)),
    "JSON in ASCII": ascii(value),
    "JSON in ASCII, in upper case": ascii(value, (hex) => hex.toUpperCase()),
    "JSON in ASCII, twice": JSON.stringify(ascii(value)),
    "JSON in ASCII, in upper case, twice": JSON.stringify(ascii(value, (hex) => hex.toUpperCase())),
    "JSON with escaped slashes": JSON.stringify(value).replaceAll("/", "\\/"),
    "JSON in ASCII with escaped slashes": ascii(value).replaceAll("/", "\\/"),
    "JSON with escaped slashes, twice": JSON.stringify(JSON.stringify(value).replaceAll("/", "\\/")),
  };

  it.each(Object.entries(spelled))("%s", async (_, text) => {
    const telling = toolOf(async function* () {
      yield* ask.secret("Token?");
      return `It is ${text}, and no other`;
    });
    const running = startRun(telling, {});
    await askedBy(running);
    const turn = await running.next({ "ask-1": accept(value) });

    expect(JSON.stringify(turn)).toContain("[secret]");
  });

  it("a text beyond the basic plane, a control character and half a character, in JSON in upper case", async () => {
    const odd = "key 🔑 \u001F \uD83D end";
    const text = String.raw`"key \uD83D\uDD11 \u001F \uD83D end"`;
    const telling = toolOf(async function* () {
      yield* ask.secret("Token?");
      return text;
    });
    const running = startRun(telling, {});
    await askedBy(running);

    expect(JSON.stringify(await running.next({ "ask-1": accept(odd) }))).toContain("[secret]");
  });
});

describe("a Secret", () => {
  const secret = new Secret(SECRET);

  it(verifies("B6", "gives its value to reveal() only"), () => {
    expect(secret.reveal()).toBe(SECRET);
    expect(Object.keys(secret)).toEqual([]);
    expect(Object.getOwnPropertyNames(secret)).toEqual([]);
    expect({ ...(secret as object) }).toEqual({});
  });

  it.each<readonly [string, () => string]>([
    ["String()", () => String(secret)],
    ["a template", () => `${secret.toString()} ${String(secret)}`],
    ["joining", () => ["token", secret].join(": ")],
    ["adding", () => `Bearer `.concat(secret as unknown as string)],
    ["JSON", () => JSON.stringify({ token: secret, list: [secret] })],
    ["util.inspect", () => inspect(secret)],
    [
      "util.inspect of what holds it",
      () => inspect({ deep: { token: secret } }, { depth: 9, showHidden: true }),
    ],
    ["console.log with %s", () => format("%s", secret)],
    ["console.log with %o", () => format("%o", { secret })],
    ["console.log with %O", () => format("%O", secret)],
    ["console.log with %j", () => format("%j", { secret })],
    ["console.log without a format", () => format("token", secret, [secret])],
  ])(verifies("B6", "prints as [secret] by %s"), (_, print) => {
    expect(print()).toContain("[secret]");
    expect(tells(print())).toBe(false);
  });

  it.each<readonly [string, () => string]>([
    [
      "util.inspect without custom printing",
      () => inspect(secret, { customInspect: false, showHidden: true }),
    ],
    ["a structured clone", () => JSON.stringify(structuredClone({ secret }))],
    ["console.log with %d", () => format("%d", secret)],
    ["an error about it", () => inspect(new Error("bad token", { cause: secret }))],
  ])(verifies("B6", "reveals nothing by %s"), (_, print) => {
    expect(tells(print())).toBe(false);
  });
});

describe("what leaves a run is free of its secrets (§7)", () => {
  it.each(spellings)(verifies("B6", "in a status, %s"), async (_, spelled) => {
    const { shown } = await leaving(async function* () {
      yield emit.status(`Using ${spelled} now`);
    });

    expect(JSON.stringify(shown)).toContain("[secret]");
    expect(tells(JSON.stringify(shown))).toBe(false);
    expect(shown.some((one) => one.emit === "status" && tells(one.message))).toBe(false);
  });

  it.each(spellings)(verifies("B6", "in a log, %s"), async (_, spelled) => {
    const { shown } = await leaving(async function* () {
      yield emit.log("info", { request: { headers: [spelled] }, [spelled]: true });
    });

    const [log] = shown;
    expect(inspect(log, { depth: 9 })).toContain("[secret]");
    expect(tells(inspect(log, { depth: 9 }))).toBe(false);
  });

  it.each(spellings)(verifies("B6", "in a result, %s"), async (_, spelled) => {
    const { turn } = await leaving(async function* () {
      return { nested: [{ text: spelled }], [spelled]: 1 };
    });
    const texts: string[] = [];
    JSON.stringify(turn, (name, value: unknown) => {
      texts.push(name, String(value));
      return value;
    });

    expect(texts.some(tells)).toBe(false);
    expect(texts.filter((text) => text.includes("[secret]")).length).toBeGreaterThan(0);
  });

  it.each(spellings)(verifies("B6", "in an artifact and in a stream, %s"), async (_, spelled) => {
    const { turn, shown } = await leaving(async function* () {
      yield emit.text(`made with ${spelled}`);
      yield emit.stream(`made with ${spelled}`);
    });

    expect(turn).toMatchObject({ artifacts: [{ type: "text" }] });
    expect(turn?.done === true && turn.streamed).toMatch(/^made with .*\[secret\]/su);
    for (const text of [turn?.done === true ? turn.streamed : "", ...shown.map((one) => inspect(one))])
      expect(tells(text)).toBe(false);
  });

  it.each(spellings)(verifies("B6", "in an error: message, stack and cause, %s"), async (_, spelled) => {
    const { error } = await leaving(async function* () {
      const inner = new TypeError(`refused: ${spelled}`);
      throw new Error(`failed with ${spelled}`, { cause: inner });
    });

    expect(error).toBeInstanceOf(Error);
    if (!(error instanceof Error && error.cause instanceof Error))
      throw new Error("no cause", { cause: error });
    expect(error.message).toContain("failed with ");
    for (const text of [
      error.message,
      error.stack ?? "",
      error.cause.message,
      error.cause.stack ?? "",
      inspect(error),
    ])
      expect(tells(text)).toBe(false);
    expect(tells(JSON.stringify(errorResult(error)))).toBe(false);
  });

  it("in the query of a URL, as a form spells it", async () => {
    const query = new URLSearchParams({ token: SECRET }).toString();
    const { turn } = await leaving(async function* () {
      return `https://example.com/?${query}`;
    });

    expect(turn).toMatchObject({ value: "https://example.com/?token=[secret]" });
  });

  it("in a stream, also where the secret is cut in two", async () => {
    const { turn } = await leaving(async function* () {
      yield emit.stream(`it is ${SECRET.slice(0, 5)}`);
      yield emit.stream(SECRET.slice(5));
    });

    expect(turn).toMatchObject({ streamed: "it is [secret]" });
  });

  it("in an error that is thrown as a plain object or a text", async () => {
    const thrown = await leaving(async function* () {
      // oxlint-disable-next-line typescript/only-throw-error -- a body may throw anything
      throw `failed with ${SECRET}`;
    });

    expect(thrown.error).toBe("failed with [secret]");
  });

  it("in an error that cannot be changed", async () => {
    const { error } = await leaving(async function* () {
      const frozen = new Error(`failed with ${SECRET}`);
      Object.freeze(frozen);
      throw frozen;
    });

    expect(error).toMatchObject({ message: "failed with [secret]" });
    expect(tells(inspect(error))).toBe(false);
  });

  it("in an error that is its own cause", async () => {
    const { error } = await leaving(async function* () {
      const circular = new Error(`failed with ${SECRET}`);
      circular.cause = circular;
      throw circular;
    });

    expect(error).toMatchObject({ message: "failed with [secret]" });
  });

  it("in the errors of an AggregateError", async () => {
    const { error } = await leaving(async function* () {
      throw new AggregateError([new Error(`one failed with ${SECRET}`)], "all failed");
    });

    expect(tells(inspect(error))).toBe(false);
  });

  it("in what else an error carries: the request of a client that failed", async () => {
    const { error } = await leaving(async function* (token) {
      throw Object.assign(new Error("401"), { request: { headers: { authorization: token.reveal() } } });
    });

    expect(tells(inspect(error, { depth: 9 }))).toBe(false);
  });

  it.each<readonly [string, (value: string) => unknown]>([
    ["an address", (value) => new URL(`https://example.com/?token=${encodeURIComponent(value)}`)],
    ["the query of an address", (value) => new URLSearchParams({ token: value })],
    ["headers", (value) => new Headers({ authorization: encodeURIComponent(value) })],
    ["a request", (value) => new Request(`https://example.com/?token=${encodeURIComponent(value)}`)],
    ["the keys of a map", (value) => new Map([[value, new Map([[{ value }, 1]])]])],
    ["the name of a symbol", (value) => ({ [Symbol(value)]: 1 })],
    [
      "something that spells itself for JSON",
      (value) => {
        const hidden = new WeakMap<object, string>();
        const told = { toJSON: () => hidden.get(told) };
        hidden.set(told, value);
        return told;
      },
    ],
  ])(verifies("B6", "in values that an error carries outside of properties: %s"), async (_, made) => {
    const { error } = await leaving(async function* (token) {
      throw Object.assign(new RangeError("refused"), { deep: { sent: made(token.reveal()) } });
    });

    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ message: "refused" });
    const printed = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
    expect(printed).toContain("[secret]");
    expect(tells(printed)).toBe(false);
  });

  it(verifies("B6", "in an address that is a result"), async () => {
    const [told, plain] = [`https://example.com/?${encodeURIComponent(SECRET)}`, "https://example.com/"];
    const { turn } = await leaving(async function* () {
      return { urls: [new URL(told), new URL(plain)] };
    });

    expect(turn).toMatchObject({ value: { urls: ["[secret]", new URL(plain)] } });
  });

  it("in the failure of a step, live and in the journal", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?");
      yield* step("log in", () => {
        throw new Error(`401 for ${token.reveal()}`);
      });
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);

    const error = await thrownBy(running.next({ "ask-1": accept(SECRET) }));

    expect(error).toMatchObject({ message: "401 for [secret]" });
    expect(tells(inspect(error))).toBe(false);
    expect(tells(inspect(journal.entries, { depth: 9 }))).toBe(false);
  });

  it("in the error of a question that quotes it", async () => {
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?");
      yield* ask.text(`Is ${token.reveal()} right?`);
    });
    const running = startRun(story, {});
    await askedBy(running);
    await askedBy(running, { "ask-1": accept(SECRET) });

    expect(await thrownBy(running.next({ "ask-2": { action: "cancel" } }))).toMatchObject({
      message: expect.stringContaining("Is [secret] right?"),
    });
  });

  it("in errors that are reported to a host", async () => {
    const reported: unknown[] = [];
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?");
      try {
        yield* ask.text("Name?");
      } finally {
        throw new Error(`cannot revoke ${token.reveal()}`);
      }
    });
    const running = startRun(story, {}, { report: (error) => void reported.push(error) });
    await askedBy(running);
    await askedBy(running, { "ask-1": accept(SECRET) });

    await running.close();

    expect(reported).toHaveLength(1);
    expect(tells(inspect(reported))).toBe(false);
  });

  it("also where the secret is the author's fallback", async () => {
    const shown: Emit[] = [];
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?", { fallback: { unsupported: new Secret(SECRET) } });
      yield emit.status(`Using ${token.reveal()}`);
      return token.reveal();
    });
    const running = startRun(story, {}, { emit: (effect) => void shown.push(effect) });
    await askedBy(running);

    expect(await endOf(running, { "ask-1": { action: "unsupported" } })).toBe("[secret]");
    expect(shown).toEqual([{ emit: "status", message: "Using [secret]" }]);
  });

  it("for every secret of the run, the longer before the shorter", async () => {
    const story = toolOf(async function* () {
      const short = yield* ask.secret("Short?");
      const long = yield* ask.secret("Long?");
      return `${long.reveal()} and ${short.reveal()}`;
    });

    expect(
      await run(
        story,
        {},
        {
          ask: ({ key }) => accept(key === "ask-1" ? "hunter2" : "hunter2-and-more"),
        },
      ),
    ).toBe("[secret] and [secret]");
  });

  it("but not of texts that merely contain a secret too short to be recognised", async () => {
    const story = toolOf(async function* () {
      const pin = yield* ask.secret("PIN?");
      return { alone: pin.reveal(), inside: "room 12345" };
    });

    expect(await run(story, {}, { ask: () => accept("1") })).toEqual({
      alone: "[secret]",
      inside: "room 12345",
    });
  });

  it("while the body itself sees what it was given", async () => {
    let seen = "";
    await leaving(async function* (token) {
      seen = token.reveal();
    });

    expect(seen).toBe(SECRET);
  });

  it.each(spellings)(verifies("B6", "in bytes, %s"), async (_, spelled) => {
    const bytes = new TextEncoder().encode(`\u0000ÿ made with ${spelled}, and more`);
    const { turn, shown } = await leaving(async function* () {
      yield emit.image(bytes, "image/png");
      return { type: "resource", uri: "file:///token", data: bytes };
    });
    const texts = [turn, shown].map((left) =>
      JSON.stringify(left, (_name, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : value,
      ),
    );

    for (const text of texts) {
      expect(text).toMatch(/ÿ made with .*\[secret\].*, and more/);
      expect(tells(text)).toBe(false);
    }
  });

  it(verifies("B6", "in what an object of a class of its own holds"), async () => {
    class Block {
      readonly type = "text";
      readonly text: string;
      readonly within: readonly unknown[];

      constructor(text: string, within: readonly unknown[] = []) {
        this.text = text;
        this.within = within;
      }
    }
    const { turn } = await leaving(async function* () {
      return [new Block(`made with ${SECRET}`), new Block("", [new Block(SECRET)])];
    });

    const value = turn?.done === true ? turn.value : undefined;
    expect(value).toEqual([new Block("made with [secret]"), new Block("", [new Block("[secret]")])]);
  });

  it(verifies("B6", "in what of it is left where an error quotes something and cuts it short"), async () => {
    const long = `begin ${SECRET.repeat(20)} end`;
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?");
      // What no type allows: that is what is quoted.
      yield `Bearer ${token.reveal()}` as never;
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(await thrownBy(running.next({ "ask-1": accept(long) }))).toMatchObject({
      message: expect.stringContaining('A tool yielded the string "Bearer [secret]…"'),
    });
  });

  it("although bytes and class instances without one pass as they are", async () => {
    const [bytes, day] = [new Uint8Array([1, 2]), new Date(0)];
    const { turn } = await leaving(async function* () {
      return { bytes, day };
    });

    const value = turn?.done === true ? turn.value : undefined;
    expect(value).toEqual({ bytes, day });
    expect(value).toHaveProperty("bytes", bytes);
  });
});

describe("an answer to a secret (§7)", () => {
  it.each([[42], [true], [null], [{ password: SECRET }], [[SECRET]]])(
    verifies("B6", "that is not a string leaks nothing: %j"),
    async (value) => {
      const journal = memoryJournal();
      const story = toolOf(async function* () {
        yield* ask.secret("Token?");
      });
      const running = startRun(story, {}, { journal });
      await askedBy(running);

      const error = await thrownBy(running.next({ "ask-1": accept(value) }));

      expect(error).toBeInstanceOf(InvalidAnswer);
      expect(tells(inspect(error))).toBe(false);
      expect(journal.entries.at(-1)).toStrictEqual({ key: "ask-1", reply: { action: "accept" } });
      expect(await thrownBy(startRun(story, {}, { journal: reread(journal) }).next())).toMatchObject({
        message: (error as Error).message,
      });
    },
  );

  it(verifies("B6", "that does not fit is neither quoted, nor suggested when asked again"), async () => {
    const story = toolOf(async function* () {
      yield* ask.secret("Token?", { maxLength: 5, retries: 1 });
    });
    const running = startRun(story, {});
    await askedBy(running);

    const again = await askedBy(running, { "ask-1": accept(SECRET) });

    expect(again).toMatchObject({ "ask-1": { attempt: 2, hint: expect.any(String) } });
    expect(tells(inspect(again, { depth: 9 }))).toBe(false);
    expect(tells(inspect(await thrownBy(running.next({ "ask-1": accept(SECRET) }))))).toBe(false);
  });
});
