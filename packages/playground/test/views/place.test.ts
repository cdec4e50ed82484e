import { expect, it } from "vitest";
import type { Offer } from "../../src/desk/offer.ts";
import { hashOf, placeIn } from "../../src/views/place.ts";

const offer: Offer = { kind: "tool", name: "a/b ?", inputSchema: {}, annotations: {} };

it("finds in a link the tool and the input that were put into it", () => {
  const given = { song: "100 % <b>?&#", tags: ["ä"] };
  expect(placeIn(hashOf(offer, given))).toEqual({ offerName: "tool/a/b ?", given });
});

it("finds only the tool where there is no input, or none that is an object", () => {
  expect(placeIn(hashOf(offer))).toEqual({ offerName: "tool/a/b ?" });
  expect(placeIn("#tool/x?input=3")).toEqual({ offerName: "tool/x" });
});

it.each(["", "#tool/", "#shell/rm", "#tool/x?input={", "#tool/%"])("goes nowhere for %j", (hash) => {
  expect(placeIn(hash)).toBeUndefined();
});

it("tells resources apart that are called the same", () => {
  const [one, other] = ["a://1", "a://2"].map((uri): Offer => ({ kind: "resource", name: "same", uri }));
  expect([one, other].map((each) => each && placeIn(hashOf(each)))).toEqual([
    { offerName: "resource/a://1" },
    { offerName: "resource/a://2" },
  ]);
});

it("makes an address of a name that has half a character", () => {
  expect(hashOf({ ...offer, name: "half \uD83D" })).toBe("#tool/half%20%EF%BF%BD");
});
