/**
 * A process is killed at every point there is, and another goes on with what it left: before and after each yield, each
 * effect of a step, each write to the store and each send to the client. docs/durability.md says what is seen here.
 */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRedis, type RedisServer } from "../../packages/server/test/stores/redis-server.ts";
import { verifies } from "../requirements.ts";
import { expectedAt, type Course } from "./expected.ts";
import { Lineage } from "./lineage.ts";
import { result, steps } from "./live.ts";
import { runModern, type Outcome } from "./modern.ts";

/** How many lines of processes there are at a time. */
const LINEAGES = 6;

type Program = (server: Lineage) => Promise<Outcome>;

/** What came of a run whose process was killed at a point. */
interface Tried {
  readonly point: string;
  readonly passed: readonly string[];
  readonly anew: number;
  readonly course: Course;
  /** How many runs the steps that were done belong to. */
  readonly runs: number;
}

function courseIn(lineage: Lineage, { result: came }: Outcome): Pick<Tried, "course" | "runs"> {
  const done = lineage.read("effects").map((key) => key.split("/"));
  const course = { result: came, steps: done.map(([, step = ""]) => step) };
  return { course, runs: new Set(done.map(([run]) => run)).size };
}

async function tryAt(point: string, lineage: Lineage, program: Program): Promise<Tried> {
  const victim = await lineage.arm(point);
  const outcome = await program(lineage);
  expect(await victim.ended, point).toBe("SIGKILL");
  return { point, passed: lineage.read("trace"), anew: outcome.anew, ...courseIn(lineage, outcome) };
}

/** All points of a run that nothing happens to. */
async function pointsOf(program: Program, store: string): Promise<readonly string[]> {
  const lineage = new Lineage(store);
  onTestFinished(() => lineage.end());
  const victim = await lineage.arm("none");
  const outcome = await program(lineage);
  expect(courseIn(lineage, outcome)).toEqual({ course: { result, steps }, runs: 1 });
  await victim.kill();
  return lineage.read("trace");
}

/** Runs the program once for every point. */
async function tryAll(points: readonly string[], program: Program, store: string): Promise<readonly Tried[]> {
  const left = points.values();
  const tried: Tried[] = [];
  const work = async (): Promise<void> => {
    const lineage = new Lineage(store);
    onTestFinished(() => lineage.end());
    for (const point of left) tried.push(await tryAt(point, lineage, program));
  };
  await Promise.all(Array.from({ length: LINEAGES }, work));
  return tried;
}

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.end());

const stores = { SQLite: () => "sqlite:", Redis: () => redis.address };
const eras: { readonly [era: string]: Program } = { "2026-07-28": runModern };
const ways = Object.entries(stores).flatMap(([kind, address]) =>
  Object.entries(eras).map(([era, program]) => ({ kind, era, address, program })),
);

describe("a durable run", { timeout: 600_000 }, () => {
  it.each(ways)(
    verifies(
      ["E1", "E2", "E4"],
      "survives kill -9 at every point: $era on $kind, each step once or reported unknown",
    ),
    async ({ kind, era, address, program }) => {
      const points = await pointsOf(program, address());
      const tried = await tryAll(points, program, address());

      const survived = tried.filter(({ passed, course, runs, anew }) => {
        // Only who was told nothing yet begins anew, and nothing was done for them.
        expect(anew > 0 && passed.includes("after yield 1"), passed.at(-1)).toBe(false);
        expect(runs, passed.at(-1)).toBe(1);
        expect(expectedAt(points, passed), passed.at(-1)).toContainEqual(course);
        return true;
      });

      const anew = tried.filter((one) => one.anew > 0).length;
      process.stdout.write(
        `killed at ${tried.length} of ${points.length} points (${era}, ${kind}): ${survived.length} survived, ${anew} of them by calling anew\n`,
      );
      expect(tried).toHaveLength(points.length);
    },
  );
});
