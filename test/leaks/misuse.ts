/** A tool that does everything with a secret that it must not, and the ways to spell what must not be found. */
import { ask, emit, step, tool, type Tool } from "@photon/core";

/** How a text may be spelled on its way out: each of them is promised to be redacted. */
function spellingsOf(value: string): readonly string[] {
  const aligned = ["", "x", "xx"].map((before) =>
    Buffer.from(`${before}${value} and more`).toString("base64"),
  );
  return [
    value,
    JSON.stringify(value),
    JSON.stringify({ deep: JSON.stringify({ value }) }),
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll(/%../g, (byte) => byte.toLowerCase()),
    new URLSearchParams({ value }).toString(),
    Buffer.from(value).toString("base64"),
    Buffer.from(value).toString("base64url"),
    ...aligned,
    `a longer text with ${value} in it`,
  ];
}

/** What must be found nowhere: every spelling, without what stands around it. */
export function tracesOf(value: string): readonly string[] {
  const bytes = Buffer.byteLength(value);
  const aligned = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
      .toString("base64")
      .slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes) * 4) / 3)),
  );
  const inUrl = encodeURIComponent(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    inUrl,
    inUrl.replaceAll(/%../g, (byte) => byte.toLowerCase()),
    new URLSearchParams({ value }).toString().slice("value=".length),
    ...aligned,
    ...aligned.map((one) => one.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** Something of somebody's own, that no JSON knows. */
class Thrown {
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }
}

/** A block of content, as a library may make it. */
class Block {
  readonly type = "text";
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const unusual = (value: string): Error => {
  const error = new TypeError(`refused: ${value}`, { cause: new Thrown(value) });
  const sent = new URL(`https://example.com/?token=${encodeURIComponent(value)}`);
  return Object.assign(error, { request: { sent, headers: [["authorization", value]] }, [value]: value });
};

export const misuses = [
  "return it",
  "return it nested",
  "return it among bytes",
  "return it in something of its own",
  "yield it",
  "throw it",
  "throw something of its own",
  "return it from a step",
  "throw it in a step",
  "name a step after it",
  "ask about it",
  "name a question after it",
] as const;

type Misuse = (typeof misuses)[number];

/** Tells what it was given to nobody but `given`. */
export function misuseInto(given: string[]): Tool<never> {
  return tool({
    name: "misuse",
    input: { type: "object", properties: { how: { type: "string", enum: misuses } }, required: ["how"] },
    durable: true,
    async *run({ how }: { readonly how: Misuse }) {
      const token = yield* ask.secret("Which token?");
      const value = token.reveal();
      given.push(value);
      for (const spelled of spellingsOf(value)) {
        yield emit.status(`Using ${spelled} now`);
        yield emit.progress(0.5, spelled);
        yield emit.log("error", { nested: [{ spelled }], [spelled]: spelled });
        yield emit.log("error", new Error(spelled));
        yield emit.stream(`streamed ${spelled} `);
        yield emit.text(`made with ${spelled}`);
      }
      switch (how) {
        case "return it":
          return spellingsOf(value).join(" ");
        case "return it nested":
          return { list: [{ deep: spellingsOf(value), [value]: token }] };
        case "return it among bytes": {
          const bytes = spellingsOf(value).map((spelled) => Buffer.from(`made with ${spelled}`));
          for (const data of bytes) yield emit.image(data, "image/png");
          return bytes.map((data) => ({ type: "resource", uri: "file:///token", data }));
        }
        case "return it in something of its own":
          return spellingsOf(value).map((spelled) => new Block(`made with ${spelled}`));
        case "yield it":
          // Quoted in the error that comes of it.
          yield value as never;
          return undefined;
        case "throw it":
          throw unusual(value);
        case "throw something of its own":
          // oxlint-disable-next-line typescript/only-throw-error -- a body may throw anything
          throw new Thrown(value);
        case "return it from a step":
          return yield* step("log in", () => ({ token: value }));
        case "throw it in a step":
          return yield* step("log in", () => {
            throw unusual(value);
          });
        case "name a step after it":
          return yield* step(`log in as ${value}`, () => "in");
        case "ask about it":
          return yield* ask.text(`Is ${value} right?`, { default: value, description: value, label: value });
        case "name a question after it":
          return yield* ask.text("Right?", { id: value });
        default:
          return how satisfies never;
      }
    },
  });
}
