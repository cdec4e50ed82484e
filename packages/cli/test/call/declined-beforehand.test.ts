/** A decline or cancel that was given before the question: by a flag, or because nothing can answer. */
import { randomBytes } from "node:crypto";
import { ask, tool } from "@photon/core";
import { memoryStore, type Revision } from "@photon/server";
import { describe, expect, it } from "vitest";
import { callInProcess } from "../run-in-process.ts";
import { serve } from "./servers.ts";

const plan = tool({
  name: "plan",
  durable: true,
  async *run() {
    const nights = yield* ask.number("How many nights?", { id: "nights" });
    const room = yield* ask.select("Which room?", ["single", "double"], { id: "room" });
    return { nights, room };
  },
});

const cases = ["http", "ws"].flatMap((scheme) =>
  (["2025-11-25", "2026-07-28"] as const).map((revision) => ({ scheme, revision })),
);

async function callPlan(
  { scheme, revision }: { readonly scheme: string; readonly revision: Revision },
  flags: readonly string[],
): Promise<string> {
  const url = await serve({
    tools: [plan],
    store: memoryStore(),
    keys: [randomBytes(32).toString("base64")],
  });
  const { stdout, stderr, exitCode } = await callInProcess([
    `${url.replace("http", scheme)}/mcp`,
    "plan",
    "--revision",
    revision,
    ...flags,
  ]);
  expect(exitCode).toBe(1);
  return stdout + stderr;
}

describe.each(cases)("a durable tool over $scheme in $revision", (options) => {
  it("ends at a question that --decline names", async () => {
    const text = await callPlan(options, ["--answer", "nights=4", "--decline", "room"]);

    expect(text).toContain("The person declined");
    expect(text).not.toContain("may have seen");
  });

  it("ends at a question that nothing can answer", async () => {
    expect(await callPlan(options, ["--answer", "nights=4"])).toContain("was cancelled");
  });
});
