/**
 * Random tools made of random effects, answered at random.
 *
 * A plan is data, so that fast-check can shrink it and print it. What is said to
 * a question depends on its key and attempt alone: the same person, asked again.
 */
import {
  ask,
  emit,
  memoryJournal,
  roots,
  sample,
  Secret,
  startRun,
  step,
  tool,
  SecretRedactor,
  type Yieldable,
  type Body,
  type Emit,
  type JournalEntry,
  type Journal,
  type Json,
  type OpenQuestion,
  type Question,
  type Replies,
  type Reply,
  type Round,
  type Tool,
} from "@photon/core";
import {
  acceptEmpty,
  cancel,
  decline,
  restartEverywhere,
  testClock,
  timeout,
  unsupported,
} from "@photon/core/testing";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { loadChecks, reread } from "./run-helpers.ts";

beforeAll(loadChecks);

const kinds = [
  "text",
  "number",
  "rating",
  "confirm",
  "select",
  "multiselect",
  "date",
  "secret",
  "file",
  "form",
  "url",
  "sample",
  "roots",
] as const;
const nonAnswers = ["decline", "cancel", "timeout", "unsupported"] as const;

interface QuestionPlan {
  readonly kind: (typeof kinds)[number];
  readonly id?: "name" | "other" | undefined;
  readonly retries: number;
  readonly falls: readonly (typeof nonAnswers)[number][];
}

type Deed =
  | { readonly do: "tell"; readonly what: Emit["emit"]; readonly text: string }
  | { readonly do: "ask"; readonly question: QuestionPlan; readonly outcome: boolean }
  | {
      readonly do: "all";
      readonly questions: readonly (readonly [QuestionPlan, outcome: boolean])[];
      readonly outcome: boolean;
    }
  | { readonly do: "step"; readonly name: "save" | "load"; readonly gives: Json; readonly throws: boolean }
  | { readonly do: "record"; readonly what: "now" | "random" | "uuid" }
  | { readonly do: "loop"; readonly times: number; readonly plan: Plan }
  | { readonly do: "guard"; readonly plan: Plan; readonly rescue: Plan; readonly cleanup: Plan }
  | { readonly do: "either"; readonly one: Plan; readonly other: Plan };

type Plan = readonly Deed[];

const questionPlan: fc.Arbitrary<QuestionPlan> = fc.record({
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom("name", "other", undefined, undefined),
  retries: fc.integer({ min: 0, max: 2 }),
  falls: fc.subarray([...nonAnswers], { maxLength: 2 }),
});

const { plan: plans } = fc.letrec<{ readonly plan: Plan; readonly deed: Deed }>((tie) => ({
  plan: fc.array(tie("deed"), { maxLength: 5 }),
  deed: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      do: fc.constant("tell" as const),
      what: fc.constantFrom("status", "progress", "log", "artifact", "stream"),
      text: fc.string({ maxLength: 3 }),
    }),
    fc.record({ do: fc.constant("ask" as const), question: questionPlan, outcome: fc.boolean() }),
    fc.record({ do: fc.constant("ask" as const), question: questionPlan, outcome: fc.constant(false) }),
    fc.record({
      do: fc.constant("all" as const),
      questions: fc.array(fc.tuple(questionPlan, fc.boolean()), { minLength: 1, maxLength: 3 }),
      outcome: fc.boolean(),
    }),
    fc.record({
      do: fc.constant("step" as const),
      name: fc.constantFrom("save", "load"),
      gives: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
      throws: fc.boolean(),
    }),
    fc.record({ do: fc.constant("record" as const), what: fc.constantFrom("now", "random", "uuid") }),
    fc.record({
      do: fc.constant("loop" as const),
      times: fc.integer({ min: 1, max: 3 }),
      plan: tie("plan"),
    }),
    fc.record({
      do: fc.constant("guard" as const),
      plan: tie("plan"),
      rescue: tie("plan"),
      cleanup: tie("plan"),
    }),
    fc.record({ do: fc.constant("either" as const), one: tie("plan"), other: tie("plan") }),
  ),
}));

function emitOf(what: Emit["emit"], text: string): Emit {
  switch (what) {
    case "status":
      return emit.status(text);
    case "progress":
      return emit.progress(0.5, text);
    case "log":
      return emit.log("info", { text });
    case "artifact":
      return emit.text(text);
    case "stream":
      return emit.stream(text);
    default:
      return what satisfies never;
  }
}

function questionOf({ kind, id, retries, falls }: QuestionPlan): Yieldable<Question, unknown> {
  const named = id === undefined ? {} : { id };
  const falling = <Value>(
    value: Value,
  ): { fallback: Partial<Record<(typeof nonAnswers)[number], Value>> } => ({
    fallback: Object.fromEntries(falls.map((action) => [action, value])),
  });
  const both = { ...named, retries };
  switch (kind) {
    case "text":
      return ask.text("Text?", { ...both, ...falling("none"), maxLength: 3 });
    case "number":
      return ask.number("Number?", { ...both, ...falling(-1), min: 0, max: 5, integer: true });
    case "rating":
      return ask.rating("How good?", { ...both, ...falling(1 as const), max: 3 });
    case "confirm":
      return ask.confirm("Sure?", { ...both, ...falling(false) });
    case "select":
      return ask.select("Which?", ["a", "b"], { ...both, ...falling("b" as const) });
    case "multiselect":
      return ask.multiselect("Which?", { a: "A", b: "B", c: "C" }, { ...both, ...falling([]), min: 1 });
    case "date":
      return ask.date("When?", { ...both, ...falling("2000-01-01"), min: "2026-01-01" });
    case "secret":
      return ask.secret("Secret?", { ...both, minLength: 6 });
    case "file":
      return ask.file("File?", { ...both, accept: [".txt"], maxBytes: 3 });
    case "form":
      return ask.form(
        "Form?",
        { n: ask.number("N?", { max: 5 }), t: ask.optional(ask.text("T?", { default: "t" })) },
        { ...both, ...falling({ n: 0, t: "" }) },
      );
    case "url":
      return ask.url("Go there", "https://example.com", { ...both, ...falling(undefined) });
    case "sample":
      return sample("Say something", named);
    case "roots":
      return roots({ ...named, ...falling([]) });
    default:
      return kind satisfies never;
  }
}

/** What people say to each kind of question: first what fits, then what does not. */
const sayings: Readonly<Record<QuestionPlan["kind"], readonly unknown[]>> = {
  text: ["", "abc", "too long", 3],
  number: [0, 5, 6, "5"],
  rating: [1, 3, 4, "3"],
  confirm: [true, false, "yes", 1],
  select: ["a", "b", "c", ["a"]],
  multiselect: [["a"], ["c", "a"], [], ["a", "a"]],
  date: ["2026-07-28", "2030-01-01", "1999-01-01", "soon"],
  secret: ["hunter2-hunter2", "letmein-letmein", "short", ""],
  file: [
    { name: "a.txt", type: "text/plain", bytes: new Uint8Array([1, 2]) },
    { name: "a.txt", type: "text/plain", path: "/a.txt" },
    { name: "a.png", type: "image/png", path: "/a.png" },
    { name: "a.txt", type: "text/plain", bytes: new Uint8Array(4) },
  ],
  form: [{ n: 1 }, { n: 2, t: "x" }, { n: 6 }, { t: "x" }],
  url: [undefined, "done", null, {}],
  sample: [
    { role: "assistant", model: "m", content: { type: "text", text: "hi" } },
    { role: "assistant", model: "m", content: [{ type: "text", text: "ho" }] },
    { role: "assistant", content: [] },
    "hi",
  ],
  roots: [[], [{ uri: "file:///", name: "root" }], [{ name: "no uri" }], {}],
};

/** A number from a text, spread well enough to choose by. */
function chance(...parts: readonly unknown[]): number {
  let hash = 0x811c9dc5;
  for (const unit of parts.join("|")) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return ((hash ^ (hash >>> 13)) >>> 0) % 97;
}

/** What this person says to a question, each time the same. */
function replyTo(person: number, question: OpenQuestion): Reply {
  const said = sayings[question.emit === "ask" ? question.ask : question.emit];
  const pick = chance(person, question.key, question.attempt);
  // Half of what is said fits, a quarter does not, a quarter is no answer.
  if (pick % 4 < 2) return { action: "accept", value: said[pick % 2] };
  if (pick % 4 === 2) return { action: "accept", value: said[2 + (pick % 8 === 2 ? 0 : 1)] };
  const others: readonly Reply[] = [...nonAnswers.map((action) => ({ action })), { action: "accept" }];
  return others[pick % others.length] ?? { action: "cancel" };
}

/**
 * Answers a round: at once, or its first question only. A round with retries is
 * answered one by one, so that which reply comes first does not depend on where the run was cut.
 */
function repliesTo(person: number, round: Round): Replies {
  const questions = Object.values(round);
  const mayRepeat = questions.some((question) => question.emit === "ask" && (question.retries ?? 0) > 0);
  const atOnce = !mayRepeat && chance(person, ...Object.keys(round)) % 2 === 0;
  const answered = atOnce ? questions : questions.slice(0, 1);
  return Object.fromEntries(answered.map((question) => [question.key, replyTo(person, question)]));
}

/** What a body keeps of what it saw. */
function noted(value: unknown): Json {
  if (value instanceof Secret) return { secret: value.reveal().length };
  if (value instanceof Uint8Array) return [...value];
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value)) return value.map(noted);
  if (typeof value !== "object" || value === null) return (value ?? null) as Json;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, noted(member)]));
}

/** Lives through a plan, and writes down what it sees. */
async function* live(plan: Plan, seen: Json[], done: (step: string) => void): Body<void> {
  for (const deed of plan) {
    switch (deed.do) {
      case "tell":
        yield emitOf(deed.what, deed.text);
        break;
      case "ask": {
        const question = questionOf(deed.question);
        seen.push(noted(deed.outcome ? yield* ask.outcome(question) : yield* question));
        break;
      }
      case "all": {
        const asks = deed.questions.map(([question, outcome], index) => {
          const one = questionOf({ ...question, id: undefined });
          return [`q${index}`, outcome ? ask.outcome(one) : one] as const;
        });
        const all = ask.all(Object.fromEntries(asks));
        seen.push(noted(deed.outcome ? yield* ask.outcome(all) : yield* all));
        break;
      }
      case "step":
        seen.push(
          noted(
            yield* step(deed.name, ({ key }) => {
              done(key);
              if (deed.throws) throw new RangeError(`${key} failed`);
              return deed.gives;
            }),
          ),
        );
        break;
      case "record":
        seen.push(yield* step[deed.what]());
        break;
      case "loop":
        for (let time = 0; time < deed.times; time++) yield* live(deed.plan, seen, done);
        break;
      case "guard":
        try {
          yield* live(deed.plan, seen, done);
        } catch (error) {
          seen.push(noted(error));
          yield* live(deed.rescue, seen, done);
        } finally {
          yield* live(deed.cleanup, seen, done);
        }
        break;
      case "either":
        yield* live(JSON.stringify(seen).length % 2 === 0 ? deed.one : deed.other, seen, done);
        break;
      default:
        deed satisfies never;
    }
  }
}

/** A tool that follows a plan; `done` is called for each step that is executed. */
function toolFor(plan: Plan, done: (step: string) => void = () => {}): Tool<Record<string, unknown>, Json> {
  return tool({
    name: "random",
    async *run() {
      const seen: Json[] = [];
      try {
        yield* live(plan, seen, done);
      } catch (error) {
        return { seen, threw: noted(error) };
      }
      return { seen };
    },
  });
}

interface Played {
  readonly ended: unknown;
  readonly steps: readonly string[];
  readonly shown: readonly Emit[];
}

/** Runs a plan to its end, live or from a journal. */
async function play(plan: Plan, person: number, journal: Journal, secrets: SecretRedactor): Promise<Played> {
  const steps: string[] = [];
  const shown: Emit[] = [];
  const running = startRun(
    toolFor(plan, (key) => steps.push(key)),
    {},
    {
      runId: "r",
      journal,
      secrets,
      clock: testClock(),
      random: () => 0.5,
      uuid: () => "uuid",
      emit: (effect) => void shown.push(effect),
    },
  );
  let turn = await running.next();
  while (!turn.done) turn = await running.next(repliesTo(person, turn.round));
  return { ended: turn, steps, shown };
}

const questionsIn = (entries: readonly JournalEntry[]): readonly unknown[] =>
  entries.flatMap((entry) => ("asked" in entry ? [entry.asked] : []));

const stepsIn = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap((entry) => ("step" in entry && !entry.step.startsWith("step.") ? [`r/${entry.step}`] : []));

const emitsIn = (entries: readonly JournalEntry[]): number =>
  Math.max(0, ...entries.map((entry) => ("emits" in entry ? entry.emits : 0)));

/** Generous: a slow machine must not fail the test. */
const patience = 60_000;
const settings = { seed: 20_260_728, numRuns: 250 };
const person = fc.integer({ min: 0, max: 1_000_000 });

describe("a random tool (§2.7, §2.8)", () => {
  it(
    verifies(
      ["E1", "E5", "B7"],
      "ends the same wherever its journal is cut, does no step twice, shows no emit twice",
    ),
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, person, async (plan, who) => {
          const journal = memoryJournal();
          const secrets = new SecretRedactor();
          const first = await play(plan, who, journal, secrets);
          for (let length = 1; length <= journal.entries.length; length++) {
            const kept = journal.entries.slice(0, length);
            const again = reread({ entries: kept });
            const played = await play(plan, who, again, secrets);

            expect(played.ended).toEqual(first.ended);
            expect([...stepsIn(kept), ...played.steps]).toEqual(first.steps);
            expect(played.shown).toEqual(first.shown.slice(emitsIn(kept)));
            expect(again.entries).toEqual(JSON.parse(JSON.stringify(journal.entries)));
          }
        }),
        settings,
      );
    },
    patience,
  );

  it(
    verifies(["B6", "B7"], "ends the same and asks the same where its secrets are gone meanwhile"),
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, person, async (plan, who) => {
          const journal = memoryJournal();
          const first = await play(plan, who, journal, new SecretRedactor());
          for (let length = 1; length <= journal.entries.length; length++) {
            const again = reread({ entries: journal.entries.slice(0, length) });
            const played = await play(plan, who, again, new SecretRedactor());

            expect(played.ended).toEqual(first.ended);
            expect(questionsIn(again.entries)).toEqual(questionsIn(journal.entries));
          }
          expect(JSON.stringify(journal.entries)).not.toMatch(/hunter2|letmein/);
        }),
        { ...settings, numRuns: 150 },
      );
    },
    patience,
  );

  it(
    verifies(["A13", "E5"], "ends the same when it is restarted at every yield"),
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, person, async (plan, who) => {
          const say = (question: OpenQuestion): unknown => {
            const reply = replyTo(who, question);
            switch (reply.action) {
              case "accept":
                return reply.value === undefined ? acceptEmpty() : reply.value;
              case "decline":
                return decline();
              case "cancel":
                return cancel();
              case "timeout":
                return timeout();
              case "unsupported":
                return unsupported();
              default:
                return reply satisfies never;
            }
          };

          const { outcome } = await restartEverywhere(toolFor(plan), { answers: say });

          expect(outcome).toHaveProperty("returned");
        }),
        { ...settings, numRuns: 100 },
      );
    },
    patience,
  );
});

describe("a random tool that is closed (§2.4)", () => {
  /** A plan in a body that notes where it begins and ends. */
  function watched(plan: Plan): { readonly tool: Tool<Record<string, unknown>, void>; open: number } {
    const watch = {
      open: 0,
      tool: tool({
        async *run() {
          watch.open++;
          try {
            yield* live(plan, [], () => {});
          } finally {
            watch.open--;
          }
        },
      }),
    };
    return watch;
  }

  it(
    verifies("B8", "while it waits for an answer reaches its finally blocks"),
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, person, fc.nat({ max: 8 }), async (plan, who, turns) => {
          const watch = watched(plan);
          const reported: unknown[] = [];
          const running = startRun(watch.tool, {}, { report: (error) => void reported.push(error) });
          let turn = await running.next().catch(() => undefined);
          for (let count = 0; count < turns && turn?.done === false; count++)
            turn = await running.next(repliesTo(who, turn.round)).catch(() => undefined);

          await running.close();

          expect(watch.open).toBe(0);
          await expect(running.next()).rejects.toBeDefined();
        }),
        settings,
      );
    },
    patience,
  );

  it(
    verifies("B8", "while it works reaches its finally blocks"),
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, person, fc.nat({ max: 12 }), async (plan, who, when) => {
          const watch = watched(plan);
          let happened = 0;
          let closing: Promise<void> | undefined;
          const closeInTime = (): void => {
            if (happened++ === when) closing = running.close();
          };
          const running = startRun(
            watch.tool,
            {},
            {
              emit: closeInTime,
              journal: { entries: [], append: closeInTime },
            },
          );
          let turn = await running.next().catch(() => undefined);
          while (turn?.done === false)
            turn = await running.next(repliesTo(who, turn.round)).catch(() => undefined);
          await closing;

          expect(watch.open).toBe(0);
        }),
        settings,
      );
    },
    patience,
  );

  it(
    "without having begun never begins",
    async () => {
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const watch = watched([...plan, { do: "tell", what: "status", text: "" }]);
          const running = startRun(watch.tool, {});

          await running.close();

          await expect(running.next()).rejects.toBeDefined();
          expect(watch.open).toBe(0);
        }),
        { ...settings, numRuns: 50 },
      );
    },
    patience,
  );
});
