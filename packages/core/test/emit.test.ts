import { describe, expect, it } from "vitest";
import { emit, logLevels, PhotonError, UnknownEffect, type Content } from "@photon/core";

/** A value that JSON cannot hold because it holds itself. */
function loop(): object {
  const value: Record<string, unknown> = { name: "loop" };
  value["self"] = value;
  return value;
}

describe("emit", () => {
  it.each([
    ["status", emit.status("Working"), { emit: "status", message: "Working" }],
    ["progress", emit.progress(0.5), { emit: "progress", value: 0.5 }],
    ["progress with words", emit.progress(1, "Done"), { emit: "progress", value: 1, message: "Done" }],
    ["log", emit.log("info", { rows: 3 }), { emit: "log", level: "info", data: { rows: 3 } }],
    ["stream", emit.stream("So "), { emit: "stream", text: "So " }],
    ["text", emit.text("hi"), { emit: "artifact", content: { type: "text", text: "hi" } }],
    [
      "image",
      emit.image("aGk=", "image/png"),
      { emit: "artifact", content: { type: "image", data: "aGk=", mimeType: "image/png" } },
    ],
    [
      "audio",
      emit.audio("aGk=", "audio/wav"),
      { emit: "artifact", content: { type: "audio", data: "aGk=", mimeType: "audio/wav" } },
    ],
    [
      "resource",
      emit.resource({ uri: "file:///a", text: "a" }),
      { emit: "artifact", content: { type: "resource", uri: "file:///a", text: "a" } },
    ],
    [
      "link",
      emit.link({ uri: "file:///a", name: "a" }),
      { emit: "artifact", content: { type: "link", uri: "file:///a", name: "a" } },
    ],
    [
      "artifact",
      emit.artifact({ type: "text", text: "hi" }),
      { emit: "artifact", content: { type: "text", text: "hi" } },
    ],
  ])("makes frozen data and nothing else: %s", (_, effect, data) => {
    expect(effect).toEqual(data);
    expect(Object.isFrozen(effect)).toBe(true);
    expect(Reflect.ownKeys(effect)).toEqual(Object.keys(data));
  });

  it("keeps the bytes of an image as they are", () => {
    const bytes = Uint8Array.of(1, 2, 3);

    expect(emit.image(bytes, "image/png").content).toEqual({
      type: "image",
      data: bytes,
      mimeType: "image/png",
    });
  });

  it("leaves the block that it is given as it was", () => {
    const block: Content = { type: "text", text: "hi" };

    emit.artifact(block);

    expect(Object.isFrozen(block)).toBe(false);
  });

  it.each([0, 1, 0.001])("takes a progress of %d", (value) => {
    expect(emit.progress(value).value).toBe(value);
  });

  it.each([-0.1, 1.1, 50, Number.NaN, Number.POSITIVE_INFINITY, "0.5", null, undefined])(
    "refuses a progress of %s",
    (value) => {
      expect(() => emit.progress(value as never)).toThrow(PhotonError);
      expect(() => emit.progress(value as never)).toThrow("from 0 to 1");
    },
  );

  it.each<[string, () => unknown]>([
    ["a status", () => emit.status(42 as never)],
    ["a progress", () => emit.progress(0.5, 42 as never)],
    ["a text", () => emit.text(null as never)],
    ["a stream", () => emit.stream(undefined as never)],
  ])("refuses %s whose words are no text", (_, make) => {
    expect(make).toThrow(PhotonError);
    expect(make).toThrow("must be text");
  });
});

describe("emit.log", () => {
  it.each(logLevels)("knows the level %s", (level) => {
    expect(emit.log(level, "x")).toEqual({ emit: "log", level, data: "x" });
  });

  it("refuses a level there is not, naming it and those there are", () => {
    expect(() => emit.log("loud" as never, "x")).toThrow(/debug, info, notice, warning, error.*loud/);
  });

  it("is not changed by what happens to its data later", () => {
    const data = { rows: 3 };
    const effect = emit.log("info", data);

    data.rows = 4;

    expect(effect.data).toEqual({ rows: 3 });
  });

  it("logs an error as its name and message", () => {
    expect(emit.log("error", new TypeError("oops")).data).toEqual({ name: "TypeError", message: "oops" });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "undefined"],
    ["a function", function pay() {}, "the function pay"],
    ["a bigint", 10n, "the bigint 10"],
    ["a cycle", loop(), '{ name: "loop", self: {…} }'],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])("describes a value that is not JSON, because a log must not fail its tool: %s", (_, data, words) => {
    expect(emit.log("info", data).data).toBe(words);
  });

  it("does not stop its tool where its data cannot be read", () => {
    const unreadable = {
      get rows(): number {
        throw new Error("gone");
      },
    };

    expect(emit.log("info", unreadable).data).toBe("a value that cannot be read");
  });
});

describe("an invalid emit", () => {
  it.each([
    ["a status of a number", () => emit.status(5 as never)],
    ["a progress of 5", () => emit.progress(5)],
    ["a log of no level", () => emit.log("loud" as never, 1)],
    ["an image of a number", () => emit.image(5 as never, "image/png")],
    ["a link to nowhere", () => emit.link({} as never)],
    ["an artifact of no kind", () => emit.artifact({ type: "bogus" } as never)],
  ])("is refused where it is made: %s", (_, make) => {
    expect(make).toThrow(UnknownEffect);
  });
});
