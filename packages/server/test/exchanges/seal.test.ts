/** What is given into other hands: nobody else can read it, and what was changed does not open (DESIGN §3; row E3). */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer } from "../../src/index.ts";
import { keysIn, Sealer } from "../../src/crypto/sealed-box.ts";

const key = (): string => randomBytes(32).toString("base64");
const text = JSON.stringify({ run: "r1", round: 3, journal: [{ key: "name", reply: "Ada Lovelace" }] });

describe("what was sealed", () => {
  it(verifies("E3", "opens together with what it is bound to, whatever both are"), () => {
    const sealer = new Sealer([key()]);

    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (inside, bound) => {
        expect(sealer.open(sealer.seal(inside, bound), bound)).toBe(inside);
      }),
    );
  });

  it(verifies("E3", "does not open bound to anything else"), () => {
    const sealer = new Sealer([key()]);
    const sealed = sealer.seal(text, "mine");

    fc.assert(
      fc.property(fc.string(), (bound) => {
        fc.pre(bound !== "mine");
        expect(sealer.open(sealed, bound)).toBeUndefined();
      }),
    );
  });

  it(verifies("E3", "does not open once any bit of any byte of it was changed"), () => {
    const sealer = new Sealer([key()]);
    const sealed = Buffer.from(sealer.seal(text, "mine"), "base64url");

    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(sealer.open(changed.toString("base64url"), "mine"), `byte ${at}, bit ${bit}`).toBeUndefined();
      }
    }
  });

  it(verifies("E3", "does not open once any character of it was changed, added or taken away"), () => {
    const sealer = new Sealer([key()]);
    const sealed = sealer.seal(text, "mine");

    fc.assert(
      fc.property(fc.nat(sealed.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, gone, between) => {
        const changed = sealed.slice(0, at) + between + sealed.slice(at + gone);
        fc.pre(changed !== sealed);
        expect(sealer.open(changed, "mine")).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("does not open in another spelling of the same bytes", () => {
    const sealer = new Sealer([key()]);
    const sealed = sealer.seal(text, "mine");

    const padded = Buffer.from(sealed, "base64url").toString("base64");
    for (const other of [
      `${sealed}=`,
      `${sealed}==`,
      ` ${sealed}`,
      `${sealed}\n`,
      `${sealed}A`,
      `${padded}=`,
    ])
      expect(sealer.open(other, "mine")).toBeUndefined();
  });

  it(verifies("E3", "does not open cut short, at any length, nor with anything behind it"), () => {
    const sealer = new Sealer([key()]);
    const sealed = sealer.seal(text, "mine");

    for (let length = 0; length < sealed.length; length++)
      expect(sealer.open(sealed.slice(0, length), "mine")).toBeUndefined();
    expect(sealer.open(sealed + sealed, "mine")).toBeUndefined();
  });

  it("is nothing that anybody made up", () => {
    const sealer = new Sealer([key()]);

    const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some).toString("base64url"));
    fc.assert(
      fc.property(fc.oneof(fc.string(), bytes), (given) => {
        expect(sealer.open(given, "mine")).toBeUndefined();
      }),
    );
  });

  it("is different every time, and shows nothing of what is inside", () => {
    const sealer = new Sealer([key()]);
    const seals = new Set(Array.from({ length: 1000 }, () => sealer.seal(text, "mine")));

    expect(seals.size).toBe(1000);
    for (const sealed of seals) {
      const bytes = Buffer.from(sealed, "base64url").toString("latin1");
      expect(/Lovelace|journal/.test(bytes)).toBe(false);
    }
  });

  it("has an initialization vector of its own each time", () => {
    const sealer = new Sealer([key()]);
    const vectors = Array.from({ length: 1000 }, () =>
      Buffer.from(sealer.seal(text, "mine"), "base64url").subarray(4, 16).toString("hex"),
    );

    expect(new Set(vectors).size).toBe(1000);
  });
});

describe("keys", () => {
  it(verifies("E3", "are a ring: the first seals, and every one opens"), () => {
    const [old, fresh] = [key(), key()];
    const before = new Sealer([old]);
    const during = new Sealer([fresh, old]);
    const after = new Sealer([fresh]);
    const sealedBefore = before.seal(text, "mine");
    const sealedDuring = during.seal(text, "mine");

    expect(during.open(sealedBefore, "mine")).toBe(text);
    expect(during.open(sealedDuring, "mine")).toBe(text);
    expect(after.open(sealedDuring, "mine")).toBe(text);
    expect(before.open(sealedDuring, "mine")).toBeUndefined();
  });

  it(verifies("E3", "that were taken away no longer open anything"), () => {
    const [old, fresh] = [key(), key()];
    const sealed = new Sealer([old]).seal(text, "mine");

    expect(new Sealer([fresh]).open(sealed, "mine")).toBeUndefined();
    expect(new Sealer([fresh, key(), key()]).open(sealed, "mine")).toBeUndefined();
  });

  it("are made up by a sealer that was given none, and are nobody else's", () => {
    const [one, other] = [new Sealer(), new Sealer()];

    expect(one.open(one.seal(text, "mine"), "mine")).toBe(text);
    expect(other.open(one.seal(text, "mine"), "mine")).toBeUndefined();
  });

  it.each(["", "short", "x".repeat(31)])(
    verifies("E3", "that are too short are refused where the server is made: %j"),
    (short) => {
      expect(() => createServer({ keys: [short] })).toThrow(
        /^A key has at least 32 characters; make one with: .+$/,
      );
      expect(() => createServer({ keys: [key(), short] })).toThrow("at least 32 characters");
    },
  );

  it("may be any text of 32 characters", () => {
    expect(() => createServer({ keys: ["ü".repeat(32)] })).not.toThrow();
  });

  it("come from the environment, separated by commas", () => {
    expect(keysIn(" one , two,,three\n")).toEqual(["one", "two", "three"]);
    expect(keysIn("")).toEqual([]);
    expect(keysIn()).toEqual([]);
  });
});
