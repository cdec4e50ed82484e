import { describe, expect, it } from "vitest";
import { isLoopback } from "../src/index.ts";

describe("a host", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "::1", "[::1]"])(
    "is this machine's own: %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "0.0.0.0",
    "::",
    "192.0.2.7",
    "128.0.0.1",
    "127.0.0.1.example.com",
    "localhost.example.com",
    "::ffff:192.0.2.7",
    "not a host",
    "",
  ])("is not: %j", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
