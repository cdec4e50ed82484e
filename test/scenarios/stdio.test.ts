import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { accept } from "./answers.ts";
import { everything } from "./guest.ts";
import { Happenings } from "./happenings.ts";
import { dialModernStdio } from "./modern-stdio.ts";
import { ModernGuest } from "./modern-guest.ts";
import { scenarios } from "./scenarios.ts";
import { stdio } from "./stdio.ts";

scenarios(stdio);

const allAtOnce = fileURLToPath(new URL("all-at-once.mjs", import.meta.url));
const server = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));

describe("a server over stdio in 2026-07-28", () => {
  it.each([
    ["the result", "counts"],
    ["a question", "counts-and-asks"],
  ] as const)(
    "loses none of a hundred statuses on a busy client, which finds them together with %s",
    { timeout: 20_000 },
    async (_, tool) => {
      const line = dialModernStdio([allAtOnce, server, "2026-07-28"], new Happenings());
      const guest = new ModernGuest(line, everything);
      onTestFinished(() => guest.client.close());
      await guest.arrive();
      guest.answer = accept({ value: "Enough." });
      const seen: unknown[] = [];

      await guest.call(tool, {}, { onprogress: ({ message }) => seen.push(message) });

      expect(seen).toEqual(Array.from({ length: 100 }, (__, index) => `Number ${index + 1}`));
    },
  );
});
