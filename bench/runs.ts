/**
 * What a run costs: 100,000 runs of a tool with three asks, in memory.
 *
 * The floor is the same generator driven by a bare loop that checks nothing.
 * All are measured in the same process, in turns; the figure is the ratio of
 * the medians. Memory is read after a forced collection, before and after.
 *
 * Usage: npm run bench [-- --runs 100000]
 */
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { ask, emit, interpret, memoryJournal, run, tool, type Body, type Replies } from "@photon/core";

const { values } = parseArgs({ options: { runs: { type: "string", default: "100000" } } });
const RUNS = Number(values.runs);
const ROUNDS = 5;
const perRound = Math.ceil(RUNS / ROUNDS);

async function* threeAsks(): Body<string> {
  yield emit.status("Asking");
  const name = yield* ask.text("Name?", { minLength: 1 });
  const nights = yield* ask.number("Nights?", { min: 1, max: 30 });
  const sure = yield* ask.confirm("Sure?");
  return `${name} ${nights} ${sure}`;
}

const wizard = tool({ name: "wizard", run: threeAsks });
const answers: readonly unknown[] = ["Ada", 3, true];

/** The floor: resumes the body with the answers, one after another. */
async function bare(): Promise<void> {
  const body = threeAsks();
  let next = await body.next();
  for (let asked = 0; next.done !== true;) {
    const isAsk = next.value.emit === "ask";
    next = await body.next(isAsk ? answers[asked++] : undefined);
  }
}

/** Photon: interpreter, keys, checks, host and deadlines. */
async function whole(): Promise<void> {
  let asked = 0;
  await run(wizard, {}, { ask: () => ({ action: "accept", value: answers[asked++] }) });
}

/** The interpreter alone, without a host. */
async function interpreted(): Promise<void> {
  const rounds = interpret(threeAsks());
  let next = await rounds.next();
  for (let asked = 0; next.done !== true;) {
    const [key = ""] = Object.keys(next.value);
    next = await rounds.next({ [key]: { action: "accept", value: answers[asked++] } });
  }
}

/** A run with n asks, live with a journal; gives back the journal. */
async function journalled(asks: number): Promise<ReturnType<typeof memoryJournal>["entries"]> {
  const journal = memoryJournal();
  await replayed(asks, journal);
  return journal.entries;
}

async function replayed(asks: number, journal: ReturnType<typeof memoryJournal>): Promise<void> {
  async function* many(): Body<void> {
    for (let count = 0; count < asks; count++) yield* ask.number("Nights?", { min: 1, max: 30 });
  }
  const rounds = interpret(many(), { journal });
  let replies: Replies | undefined;
  for (let next = await rounds.next(); next.done !== true; next = await rounds.next(replies)) {
    const [key = ""] = Object.keys(next.value);
    replies = { [key]: { action: "accept", value: 3 } };
  }
}

async function timed(times: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < times; count++) await work();
  return ((performance.now() - start) / times) * 1000;
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

function heap(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Start Node with --expose-gc.");
  for (let count = 0; count < 4; count++) gc();
  return process.memoryUsage().heapUsed;
}

for (const work of [bare, interpreted, whole]) await timed(Math.min(2000, perRound), work);
const before = heap();
const costs = { bare: [] as number[], interpreted: [] as number[], whole: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  costs.bare.push(await timed(perRound, bare));
  costs.interpreted.push(await timed(perRound, interpreted));
  costs.whole.push(await timed(perRound, whole));
}
const growth = heap() - before;

const floor = median(costs.bare);
console.log(
  `A tool with a status and three asks, ${perRound * ROUNDS} runs each, medians of ${ROUNDS} rounds:`,
);
console.log(`  bare loop    ${floor.toFixed(1)} µs a run  1.0×`);
for (const name of ["interpreted", "whole"] as const) {
  const cost = median(costs[name]);
  console.log(`  ${name.padEnd(11)}  ${cost.toFixed(1)} µs a run  ${(cost / floor).toFixed(1)}×`);
}
console.log(`  heap growth after warm-up: ${(growth / 1024).toFixed(0)} KiB`);

console.log("Replay, per answer:");
const perAnswer: number[] = [];
for (const asks of [10, 100, 1000]) {
  const entries = await journalled(asks);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push(await timed(20, () => replayed(asks, memoryJournal(entries))));
  const cost = median(rounds);
  perAnswer.push(cost / asks);
  console.log(
    `  ${String(asks).padStart(5)} answers  ${(cost / asks).toFixed(2)} µs  ${(cost / asks / (perAnswer[0] ?? 1)).toFixed(2)}×`,
  );
}
