import { expect, it } from "vitest";
import { clip } from "../../src/views/parts/clip.ts";

it("leaves out of a short text what would turn the words beside it", () => {
  expect(clip("\u202Ea\u2066b\u2069c\u202C")).toBe("abc");
});

it("cuts what is too long for its place, and says that there is more", () => {
  expect(clip("abcdef", 3)).toBe("abc…");
});
