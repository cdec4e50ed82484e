import { describe, expect, it } from "vitest";
import { createServer } from "../src/index.ts";
import { resolveSettings } from "../src/settings.ts";

describe("settings", () => {
  it.each([
    ["30m", 1_800_000],
    ["90s", 90_000],
    [60_000, 60_000],
  ] as const)("read an idle of %j as %i milliseconds", (idle, milliseconds) => {
    expect(resolveSettings({ idle }).idle).toBe(milliseconds);
  });

  it("let a session be idle for half an hour, where nothing is said", () => {
    expect(resolveSettings({}).idle).toBe(30 * 60_000);
  });

  it("refuse an idle that is no duration", () => {
    const idle = "soon" as unknown as number;

    expect(() => createServer({ idle })).toThrow('The idle of a server is "soon"; write it like "500ms"');
  });

  it("take what is undefined for not given", () => {
    const { name, limits } = resolveSettings({ name: undefined, limits: { batch: undefined } } as object);

    expect(name).toBe("photon");
    expect(limits.batch).toBe(1000);
  });

  it("refuse a limit there is not", () => {
    expect(() => createServer({ limits: { parties: 3 } as object })).toThrow('There is no limit "parties"');
  });
});
