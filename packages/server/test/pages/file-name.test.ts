import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeName, safeType } from "../../src/pages/form-body.ts";

describe("the name of an uploaded file", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\system32\\evil.dll", "evil.dll"],
    ["/etc/shadow", "shadow"],
    ["C:\\temp\\a.txt", "a.txt"],
    ["C:a.txt", "C_a.txt"],
    ["a.txt:stream", "a.txt_stream"],
    ["..", "file"],
    [".\u0000.", "file"],
    ["", "file"],
    ["a\r\nSet-Cookie: b=c.txt", "aSet-Cookie_ b=c.txt"],
    ["\u202Etxt.exe", "txt.exe"],
    ["CON", "_CON"],
    ["com1.txt", "_com1.txt"],
    ["console.txt", "console.txt"],
    ["a. . .", "a"],
    [".env", ".env"],
    ["<b>.html", "_b_.html"],
    ["u\u0308ber.txt", "über.txt"],
  ])("%j is %j", (given, name) => {
    expect(safeName(given)).toBe(name);
  });

  it("is short, and keeps its ending", () => {
    const name = safeName(`${"a".repeat(500)}.tar.gz`);

    expect(name).toHaveLength(120);
    expect(name.endsWith("a.gz")).toBe(true);
  });

  it("is never a path, a control character or nothing, whatever it was", () => {
    const isName = (given: string): void => {
      const name = safeName(given);
      expect(name).toMatch(/^[^/\\<>:"|?*\p{Cc}]+$/u);
      expect(name).not.toMatch(/^\.+$|[\s.]$/);
      expect([...name].length).toBeLessThanOrEqual(121);
    };

    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), isName));
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom("/", "\\", ".", " ", "\0", "a", ":") }), isName));
  });
});

describe("the type of an uploaded file", () => {
  it.each([
    ["image/png", "image/png"],
    ["Text/Plain; charset=utf-8", "text/plain"],
    ["image/svg+xml", "image/svg+xml"],
    ["nonsense", "application/octet-stream"],
    ["a/b\r\nX: y", "application/octet-stream"],
    [undefined, "application/octet-stream"],
  ])("%j is %j", (given, type) => {
    expect(safeType(given)).toBe(type);
  });
});
