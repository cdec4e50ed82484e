/** The overhead of the interpreter, without a transport or a client. */
import { ask, emit, interpret, run, tool, type Body } from "@photon/core";
import type { Measure } from "../harness/settings.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { meanTime } from "../harness/cost.ts";

async function* threeAsks(): Body<string> {
  yield emit.status("Asking");
  const name = yield* ask.text("Name?", { minLength: 1 });
  const nights = yield* ask.number("Nights?", { min: 1, max: 30 });
  const sure = yield* ask.confirm("Sure?");
  return `${name} ${nights} ${sure}`;
}

const wizard = tool({ name: "wizard", run: threeAsks });
const answers: readonly unknown[] = ["Ada", 3, true];

/** The baseline: resumes the body with the answers, in order. */
async function bare(): Promise<void> {
  const body = threeAsks();
  let next = await body.next();
  for (let asked = 0; next.done !== true;) {
    const isAsk = next.value.emit === "ask";
    next = await body.next(isAsk ? answers[asked++] : undefined);
  }
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

/** The interpreter with keys, validation, a host and deadlines. */
async function whole(): Promise<void> {
  let asked = 0;
  await run(wizard, {}, { ask: () => ({ action: "accept", value: answers[asked++] }) });
}

const BASELINE = "bare loop";
const variants = { [BASELINE]: bare, "the interpreter alone": interpreted, "a whole run": whole };

export const interpreter: Measure = {
  name: "interpreter",
  about: "what the interpreter adds to a tool with a status and three questions",
  async run(settings) {
    const times = settings.isQuick ? 50 : 5000;
    const samplers = Object.entries(variants).map(([variant, work]) => ({
      scenario: "a status and three questions",
      variant,
      sample: async () => ({ cost: await meanTime(times, work) }),
    }));
    return [
      {
        title: "The interpreter",
        baseline: BASELINE,
        columns: { cost: { title: "a run", unit: "microseconds", isCompared: true } },
        rows: await runWarmRounds(samplers, settings),
      },
    ];
  },
};
