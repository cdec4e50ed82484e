/** What docs/testing-tools.md shows, run. The last two tests hold the page to this file, word for word. */
import { readFileSync } from "node:fs";
import { blocksIn } from "../../../test/docs/blocks.ts";
import { readPage } from "../../../test/docs/pages.ts";
import type { Context } from "@photon/core";
import { expect, it } from "vitest";
import { decline, everyBranch, sequence, never, restartEverywhere, script } from "@photon/core/testing";
import { ask, emit, step, tool } from "@photon/core";

/** Stands for your deployment system: the same key is the same release, however often it is called. */
function release(service: string, target: string, key: string): string {
  return `${service} to ${target} as ${key}`;
}

const deploy = tool({
  name: "deploy",
  description: "Deploys a service",
  durable: true,
  input: { type: "object", properties: { service: { type: "string" } }, required: ["service"] },
  async *run({ service }) {
    const target = yield* ask.select("Where to?", ["staging", "production"], { id: "target" });
    const copies = yield* ask.number("How many copies?", { id: "copies", min: 1, max: 10, retries: 2 });
    if (target === "production") {
      const question = `Put ${service} into production?`;
      const sure = yield* ask.confirm(question, { id: "sure", timeout: "10m", fallback: { timeout: false } });
      if (!sure) return "Nothing was deployed.";
    }
    yield emit.status(`Deploying ${copies} of ${service}`);
    const released = yield* step("release", ({ key }) => release(service, target, key));
    return `Deployed ${released}.`;
  },
});

it("deploys to staging without asking for a confirmation", async () => {
  const host = script({ target: "staging", copies: 2 });

  expect(await host.run(deploy, { service: "shop" })).toBe("Deployed shop to staging as test-run/release.");
});

async function* greet({ name }: { name: string }, { client }: Context) {
  return `Hello ${name}, says ${client.name}.`;
}

async function* count(bars: number, context: Context) {
  yield emit.status(`Counting for ${context.client.name}`);
  return Array.from({ length: bars }, () => "1 2 3 4").join(" | ");
}

class Stage {
  #lights = "off";

  async *light(colour: "red" | "blue") {
    if (yield* ask.confirm(`Shall the lights be ${colour}?`, { id: "sure" })) this.#lights = colour;
    return `The lights are ${this.#lights}.`;
  }
}

it("runs functions and methods", async () => {
  const stage = new Stage();

  expect(await script().run(greet, { name: "Ada" })).toBe("Hello Ada, says script.");
  expect(await script().run((_, context) => count(2, context))).toBe("1 2 3 4 | 1 2 3 4");
  expect(await script({ sure: true }).run(() => stage.light("red"))).toBe("The lights are red.");
});

it("lights the stage only after a yes", async () => {
  const branches = await everyBranch(() => new Stage().light("red"), {}, { sure: [true, false] });

  expect(branches.map(({ outcome }) => outcome)).toEqual([
    { returned: "The lights are red." },
    { returned: "The lights are off." },
  ]);
});

it("asks again for a number of copies that does not fit", async () => {
  const host = script({ target: "staging", copies: sequence(99, 2) });

  await host.run(deploy, { service: "shop" });

  expect(host.transcript).toEqual([
    { asked: "target", message: "Where to?" },
    { answered: "target", action: "accept", value: "staging" },
    { asked: "copies", message: "How many copies?" },
    { answered: "copies", action: "accept", value: 99 },
    { asked: "copies", message: "How many copies?", attempt: 2, hint: "must be at most 10" },
    { answered: "copies", action: "accept", value: 2 },
    { emit: "status", message: "Deploying 2 of shop" },
    { step: "release", value: "shop to staging as test-run/release" },
    { returned: "Deployed shop to staging as test-run/release." },
  ]);
});

it("deploys nothing when nobody confirms within ten minutes", async () => {
  const host = script({ target: "production", copies: 2, sure: never() });

  const running = host.run(deploy, { service: "shop" });
  await host.asked;
  await host.advance("11m");

  expect(await running).toBe("Nothing was deployed.");
});

it("puts nothing into production without a yes", async () => {
  const branches = await everyBranch(
    deploy,
    { service: "shop" },
    {
      target: ["staging", "production"],
      copies: [2, 99],
      sure: [true, false, decline(), never()],
    },
  );

  const unconfirmed = branches
    .filter(({ answers }) => answers.some(({ value }) => value === "production"))
    .filter(({ answers }) => !answers.some(({ value }) => value === true));
  expect(branches).toHaveLength(17);
  expect(branches[0]?.answers[0]).toEqual({ answered: "target", action: "accept", value: "staging" });
  expect(unconfirmed).toHaveLength(10);
  for (const { transcript } of unconfirmed) {
    expect(transcript).not.toContainEqual(expect.objectContaining({ step: "release" }));
  }
});

it("ends the same wherever it is interrupted", async () => {
  const report = await restartEverywhere(deploy, {
    input: { service: "shop" },
    answers: { target: "production", copies: sequence(99, 2), sure: true },
  });

  expect(report.steps).toEqual({ release: 1 });
  expect(report.restarts).toBe(10);
});

let deployments = 0;

const hasty = tool({
  name: "hasty",
  durable: true,
  async *run() {
    const number = ++deployments;
    if (!(yield* ask.confirm("Deploy?"))) return "Nothing was deployed.";
    return `Deployment ${number}`;
  },
});

it("fails restartEverywhere when it counts outside of a step", async () => {
  await expect(restartEverywhere(hasty, { answers: [true] })).rejects.toThrow("hasty ends differently");
});

/** The blocks of the page in one language, as readers see them. */
const shownIn = (language: string): readonly string[] =>
  blocksIn(readPage("docs/testing-tools.md"))
    .filter((block) => block.language === language && !block.isHidden)
    .map(({ content }) => content);

it("is shown on the page as it stands in this file", () => {
  const self = readFileSync(new URL(import.meta.url), "utf8");
  const blocks = shownIn("ts");

  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks) expect(self).toContain(block);
});

it("fails with what the page shows", async () => {
  deployments = 0;

  const failure: unknown = await restartEverywhere(hasty, { answers: [true] }).catch(
    (error: unknown) => error,
  );

  expect(failure).toHaveProperty("message", shownIn("text").join("\n").trimEnd());
});
