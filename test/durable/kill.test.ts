/**
 * A process is killed at every point of a run, and another continues the run: before and after each yield, each effect of a
 * step, each write to the store and each send to the client. docs/durability.md says what must hold.
 *
 * There are about a hundred points, in each of two eras and on each of two stores, and twice as many where a model relays
 * the questions. `npm run test:long` tries all of them; otherwise each store has a few of its own.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRedis, type RedisServer } from "../../packages/server/test/stores/redis-server.ts";
import { isWhole } from "../long.ts";
import { verifies } from "../requirements.ts";
import { expectedAt, type Course } from "./expected.ts";
import { result, steps } from "./wizard-answers.ts";
import { runStateless, type Outcome } from "./stateless.ts";
import { runRelayed } from "./relayed.ts";
import { RestartedServer } from "./restarted-server.ts";
import { runSession } from "./session.ts";

/** How many servers there are at a time. */
const SERVERS = isWhole ? 6 : 2;

type Program = (server: RestartedServer) => Promise<Outcome>;

/** What came of a run whose process was killed at a point. */
interface Tried {
  readonly point: string;
  readonly passed: readonly string[];
  readonly anew: number;
  readonly course: Course;
  /** How many runs the steps that were done belong to. */
  readonly runs: number;
}

function courseIn(server: RestartedServer, { result: came }: Outcome): Pick<Tried, "course" | "runs"> {
  const done = server.read("effects").map((key) => key.split("/"));
  const course = { result: came, steps: done.map(([, step = ""]) => step) };
  return { course, runs: new Set(done.map(([run]) => run)).size };
}

async function tryAt(point: string, server: RestartedServer, program: Program): Promise<Tried> {
  const armed = await server.arm(point);
  const outcome = await program(server);
  expect((await armed.exited).signal).toBe("SIGKILL");
  return { point, passed: server.read("trace"), anew: outcome.anew, ...courseIn(server, outcome) };
}

/** All points of a run that nothing happens to. */
async function pointsOf(program: Program, store: string): Promise<readonly string[]> {
  // Not a store of the servers that are tried: each continues the runs in its store.
  const server = new RestartedServer(store, SERVERS);
  onTestFinished(() => server.close());
  const armed = await server.arm("none");
  const outcome = await program(server);
  expect(courseIn(server, outcome)).toEqual({ course: { result, steps }, runs: 1 });
  // The client has the result before the process hears that it was sent.
  await expect.poll(() => server.read("trace").at(-1)).toMatch(/^after send/);
  await armed.kill();
  return server.read("trace");
}

/** Whether a run has ended right. Only a client that was told nothing yet calls anew, and no step was done for that call. */
const isRight = (points: readonly string[], { passed, course, runs, anew }: Tried): boolean =>
  runs === 1 &&
  !(anew > 0 && passed.includes("after yield 1")) &&
  expectedAt(points, passed).some((expected) => isDeepStrictEqual(expected, course));

/** Runs the program once for every point. */
async function tryAll(points: readonly string[], program: Program, store: string): Promise<readonly Tried[]> {
  const left = points.values();
  const tried: Tried[] = [];
  const work = async (_: unknown, index: number): Promise<void> => {
    // Each has a store of its own: servers that share one continue each other's runs.
    const server = new RestartedServer(store, index);
    onTestFinished(() => server.close());
    for (const point of left) tried.push(await tryAt(point, server, program));
  };
  await Promise.all(Array.from({ length: SERVERS }, work));
  return tried;
}

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.end());

const stores = { SQLite: () => "sqlite:", Redis: () => redis.address };
/**
 * Of how many points each store tries one, unless all are tried. Points before and after something take turns, so the number is
 * odd. Every call that is relayed passes all points again that the run has passed.
 */
const eras: { readonly [era: string]: { readonly program: Program; readonly oneOf: number } } = {
  "2026-07-28": { program: runStateless, oneOf: 27 },
  "2025-11-25": { program: runSession, oneOf: 27 },
  "2025-11-25, relayed": { program: runRelayed, oneOf: 81 },
};
const ways = Object.entries(stores).flatMap(([kind, address], turn) =>
  Object.entries(eras).map(([era, way]) => ({ kind, era, address, turn, ...way })),
);

describe("a durable run", { timeout: 600_000 }, () => {
  it.each(ways)(
    verifies(
      ["E1", "E2", "E4"],
      "survives kill -9 at any point ($era, $kind): it ends right, each step was done once or is reported unknown",
    ),
    async ({ kind, era, address, program, turn, oneOf }) => {
      const points = await pointsOf(program, address());
      const chosen = points.filter((_, index) => isWhole || index % oneOf === turn * 13);
      const tried = await tryAll(chosen, program, address());

      const survived = tried.filter((one) => isRight(points, one));
      const anew = tried.filter((one) => one.anew > 0).length;
      process.stdout.write(
        `killed at ${tried.length} of ${points.length} points (${era}, ${kind}): ${survived.length} survived, ${anew} of them by calling anew\n`,
      );
      expect(tried.filter((one) => !survived.includes(one))).toEqual([]);
      expect(tried).toHaveLength(chosen.length);
    },
  );
});
