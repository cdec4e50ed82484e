/** Encrypted states and ids: a client can neither read nor change them (requirement E3). */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer } from "../../src/index.ts";
import { parseKeys, SealedBox } from "../../src/crypto/sealed-box.ts";

const key = (): string => randomBytes(32).toString("base64");
const text = JSON.stringify({ run: "r1", round: 3, journal: [{ key: "name", reply: "Ada Lovelace" }] });

describe("what was sealed", () => {
  it(verifies("E3", "opens together with what it is bound to, whatever both are"), () => {
    const sealer = new SealedBox([key()]);

    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (inside, bound) => {
        expect(sealer.decrypt(sealer.encrypt(inside, bound), bound)).toBe(inside);
      }),
    );
  });

  it(verifies("E3", "does not open bound to anything else"), () => {
    const sealer = new SealedBox([key()]);
    const sealed = sealer.encrypt(text, "mine");

    fc.assert(
      fc.property(fc.string(), (bound) => {
        fc.pre(bound !== "mine");
        expect(sealer.decrypt(sealed, bound)).toBeUndefined();
      }),
    );
  });

  it(verifies("E3", "does not open once any bit of any byte of it was changed"), () => {
    const sealer = new SealedBox([key()]);
    const sealed = Buffer.from(sealer.encrypt(text, "mine"), "base64url");

    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(
          sealer.decrypt(changed.toString("base64url"), "mine"),
          `byte ${at}, bit ${bit}`,
        ).toBeUndefined();
      }
    }
  });

  it(verifies("E3", "does not open once any character of it was changed, added or taken away"), () => {
    const sealer = new SealedBox([key()]);
    const sealed = sealer.encrypt(text, "mine");

    fc.assert(
      fc.property(fc.nat(sealed.length), fc.nat(3), fc.string({ maxLength: 3 }), (at, gone, between) => {
        const changed = sealed.slice(0, at) + between + sealed.slice(at + gone);
        fc.pre(changed !== sealed);
        expect(sealer.decrypt(changed, "mine")).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("does not open in another spelling of the same bytes", () => {
    const sealer = new SealedBox([key()]);
    const sealed = sealer.encrypt(text, "mine");

    const padded = Buffer.from(sealed, "base64url").toString("base64");
    for (const other of [
      `${sealed}=`,
      `${sealed}==`,
      ` ${sealed}`,
      `${sealed}\n`,
      `${sealed}A`,
      `${padded}=`,
    ])
      expect(sealer.decrypt(other, "mine")).toBeUndefined();
  });

  it(verifies("E3", "does not open cut short, at any length, nor with anything behind it"), () => {
    const sealer = new SealedBox([key()]);
    const sealed = sealer.encrypt(text, "mine");

    for (let length = 0; length < sealed.length; length++)
      expect(sealer.decrypt(sealed.slice(0, length), "mine")).toBeUndefined();
    expect(sealer.decrypt(sealed + sealed, "mine")).toBeUndefined();
  });

  it("is nothing that anybody made up", () => {
    const sealer = new SealedBox([key()]);

    const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some).toString("base64url"));
    fc.assert(
      fc.property(fc.oneof(fc.string(), bytes), (given) => {
        expect(sealer.decrypt(given, "mine")).toBeUndefined();
      }),
    );
  });

  it("is different every time, and shows nothing of what is inside", () => {
    const sealer = new SealedBox([key()]);
    const seals = new Set(Array.from({ length: 1000 }, () => sealer.encrypt(text, "mine")));

    expect(seals.size).toBe(1000);
    for (const sealed of seals) {
      const bytes = Buffer.from(sealed, "base64url").toString("latin1");
      expect(/Lovelace|journal/.test(bytes)).toBe(false);
    }
  });

  it("has an initialization vector of its own each time", () => {
    const sealer = new SealedBox([key()]);
    const vectors = Array.from({ length: 1000 }, () =>
      Buffer.from(sealer.encrypt(text, "mine"), "base64url").subarray(4, 16).toString("hex"),
    );

    expect(new Set(vectors).size).toBe(1000);
  });
});

describe("keys", () => {
  it(verifies("E3", "are a ring: the first seals, and every one opens"), () => {
    const [old, fresh] = [key(), key()];
    const before = new SealedBox([old]);
    const during = new SealedBox([fresh, old]);
    const after = new SealedBox([fresh]);
    const sealedBefore = before.encrypt(text, "mine");
    const sealedDuring = during.encrypt(text, "mine");

    expect(during.decrypt(sealedBefore, "mine")).toBe(text);
    expect(during.decrypt(sealedDuring, "mine")).toBe(text);
    expect(after.decrypt(sealedDuring, "mine")).toBe(text);
    expect(before.decrypt(sealedDuring, "mine")).toBeUndefined();
  });

  it(verifies("E3", "that were taken away no longer open anything"), () => {
    const [old, fresh] = [key(), key()];
    const sealed = new SealedBox([old]).encrypt(text, "mine");

    expect(new SealedBox([fresh]).decrypt(sealed, "mine")).toBeUndefined();
    expect(new SealedBox([fresh, key(), key()]).decrypt(sealed, "mine")).toBeUndefined();
  });

  it("are made up by a sealer that was given none, and are nobody else's", () => {
    const [one, other] = [new SealedBox(), new SealedBox()];

    expect(one.decrypt(one.encrypt(text, "mine"), "mine")).toBe(text);
    expect(other.decrypt(one.encrypt(text, "mine"), "mine")).toBeUndefined();
  });

  it.each(["", "short", "x".repeat(31)])(
    verifies("E3", "that are too short are refused where the server is made: %j"),
    (short) => {
      expect(() => createServer({ keys: [short] })).toThrow(
        /^A key needs at least 32 characters; create one with: .+$/,
      );
      expect(() => createServer({ keys: [key(), short] })).toThrow("at least 32 characters");
    },
  );

  it("may be any text of 32 characters", () => {
    expect(() => createServer({ keys: ["ü".repeat(32)] })).not.toThrow();
  });

  it("come from the environment, separated by commas", () => {
    expect(parseKeys(" one , two,,three\n")).toEqual(["one", "two", "three"]);
    expect(parseKeys("")).toEqual([]);
    expect(parseKeys()).toEqual([]);
  });
});
