import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { acceptValue } from "../clients/answers.ts";
import { connectV2 } from "../clients/connect.ts";
import { stdioV2 } from "../clients/stdio-connections.ts";
import { scenarios } from "./scenarios.ts";
import { program, stdio } from "./stdio.ts";

scenarios(stdio);

const joinedOutput = fileURLToPath(new URL("joined-output.mjs", import.meta.url));

describe("a server over stdio in 2026-07-28", () => {
  it.each([
    ["the result", "counts"],
    ["a question", "counts-and-asks"],
  ] as const)(
    "delivers a hundred statuses to a busy client, which reads them together with %s",
    { timeout: 20_000 },
    async (_, tool) => {
      const connection = stdioV2([joinedOutput, program, "2026-07-28"]);
      const client = await connectV2(connection, { answer: acceptValue("Enough.") });
      const received: unknown[] = [];

      await client.call(tool, {}, { onprogress: ({ message }) => received.push(message) });

      expect(received).toEqual(Array.from({ length: 100 }, (__, index) => `Number ${index + 1}`));
    },
  );
});
