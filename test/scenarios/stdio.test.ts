import { describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { accept } from "./answers.ts";
import { scenarios } from "./scenarios.ts";
import { Scene } from "./scene.ts";
import { stdio } from "./stdio.ts";

scenarios(stdio);

describe("a server over stdio in 2026-07-28", () => {
  // It waits for 10 ms, which is a promise only to a client that is not busy meanwhile.
  it(
    verifies(
      "F6",
      "gives its client time to show a hundred statuses right before a question, and the result",
    ),
    { retry: 5, timeout: 20_000 },
    async () => {
      const { guest } = await new Scene(stdio, "2026-07-28").elsewhere(accept({ value: "Enough." }));
      const seen: unknown[] = [];

      await guest.call("counts-and-asks", {}, { onprogress: ({ message }) => seen.push(message) });
      await guest.call("counts", {}, { onprogress: ({ message }) => seen.push(message) });

      expect(seen).toHaveLength(200);
    },
  );
});
