import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { parseContent } from "../src/content.ts";

const bytes = Uint8Array.of(1, 2, 3);

describe("content", () => {
  it.each([
    [{ type: "text", text: "" }],
    [{ type: "image", data: "aGk=", mimeType: "image/png" }],
    [{ type: "image", data: bytes, mimeType: "image/png" }],
    [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }],
    [{ type: "resource", uri: "file:///a", text: "a" }],
    [{ type: "resource", uri: "file:///a", data: bytes, mimeType: "image/png" }],
    [{ type: "link", uri: "file:///a", name: "a", title: "A", description: "An a", mimeType: "text/plain" }],
  ])(verifies("A8", "is read in our spelling: %o"), (block) => {
    expect(parseContent(block)).toEqual(block);
  });

  it.each([
    [
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "a" } },
      { type: "resource", uri: "file:///a", mimeType: "text/plain", text: "a" },
    ],
    [
      { type: "resource", resource: { uri: "file:///a", blob: "aGk=" } },
      { type: "resource", uri: "file:///a", data: "aGk=" },
    ],
    [
      { type: "resource_link", uri: "file:///a", name: "a", title: "A" },
      { type: "link", uri: "file:///a", name: "a", title: "A" },
    ],
  ])(verifies("A8", "is read in MCP's spelling: %j"), (block, read) => {
    expect(parseContent(block)).toEqual(read);
  });

  it("names a link after its address where it has no name", () => {
    expect(parseContent({ type: "link", uri: "file:///a" })).toEqual({
      type: "link",
      uri: "file:///a",
      name: "file:///a",
    });
  });

  it("leaves out what belongs to no block", () => {
    expect(parseContent({ type: "text", text: "hi", colour: "red" })).toEqual({ type: "text", text: "hi" });
    expect(parseContent({ type: "link", uri: "file:///a", name: "a", title: 42 })).toEqual({
      type: "link",
      uri: "file:///a",
      name: "a",
    });
  });

  it.each<[unknown]>([
    [null],
    [undefined],
    ["text"],
    [42],
    [[]],
    [{}],
    [{ type: "video", data: "aGk=", mimeType: "video/mp4" }],
    [{ type: "text" }],
    [{ type: "text", text: 42 }],
    [{ type: "image", data: "aGk=" }],
    [{ type: "image", data: [1, 2], mimeType: "image/png" }],
    [{ type: "audio", mimeType: "audio/wav" }],
    [{ type: "resource", uri: "file:///a" }],
    [{ type: "resource", text: "a" }],
    [{ type: "resource", resource: "file:///a" }],
    [{ type: "link", name: "a" }],
  ])("is undefined for a value that is not a content block: %j", (value) => {
    expect(parseContent(value)).toBeUndefined();
  });
});
