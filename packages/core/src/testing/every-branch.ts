import type { OpenQuestion } from "../effects.ts";
import { subjectOf } from "../definitions/definition.ts";
import type { Tool } from "../definitions/tool.ts";
import { foundIn, isTestError, Unscripted } from "./answering.ts";
import { script } from "./script.ts";
import type { ScriptedAnswer } from "./scripted.ts";
import { threwOf, type Happening } from "./transcript.ts";

/** What may be answered, by key or message, or by a function of the question: every entry is tried. */
export type Alternatives =
  | { readonly [question: string]: readonly ScriptedAnswer[] }
  | ((question: OpenQuestion) => readonly ScriptedAnswer[]);

/** One way through a tool. */
export interface Branch<Result> {
  /** The answers that led there, in order. */
  readonly answers: readonly Extract<Happening, { answered: string }>[];
  readonly transcript: readonly Happening[];
  readonly outcome: { readonly returned: Result } | { readonly threw: string; readonly message: string };
}

const MOST = 1000;

/** The tool has more ways than can be walked. */
class TooManyPaths extends Error {
  override readonly name = "TooManyPaths";
}

/** Runs a tool with every combination of answers. More than 1,000 paths are an error that says so. */
export async function everyBranch<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: Alternatives,
): Promise<readonly Branch<Result>[]> {
  const branches: Branch<Result>[] = [];
  for (let path: Choice[] | undefined = []; path !== undefined; path = following(path)) {
    if (branches.length === MOST) {
      throw new TooManyPaths(`${subjectOf(tool)} has more than ${MOST} paths; give it fewer answers to try.`);
    }
    branches.push(await walk(tool, input, answers, path));
  }
  return branches;
}

/** Which of how many answers was given to a question. */
interface Choice {
  readonly taken: number;
  readonly of: number;
}

/** Runs once along a path, and beyond its end with the first of every alternative, which it adds to the path. */
async function walk<Result>(
  tool: Tool<never, Result>,
  input: unknown,
  answers: Alternatives,
  path: Choice[],
): Promise<Branch<Result>> {
  let count = 0;
  const choose = (question: OpenQuestion): ScriptedAnswer => {
    const alternatives = alternativesFor(answers, question);
    const { taken } = (path[count++] ??= { taken: 0, of: alternatives.length });
    return alternatives[taken];
  };
  const host = script(choose, { hurry: true });
  const outcome = await host.run(tool, input).then(
    (returned) => ({ returned }),
    (error: unknown) => {
      if (isTestError(error)) throw error;
      return threwOf(error);
    },
  );
  return {
    answers: host.transcript.filter((one) => "answered" in one),
    transcript: host.transcript,
    outcome,
  };
}

function alternativesFor(answers: Alternatives, question: OpenQuestion): readonly ScriptedAnswer[] {
  const found = typeof answers === "function" ? answers(question) : foundIn(answers, question);
  if (found.length === 0) throw new Unscripted(question);
  return found;
}

/** The next path to walk: the last choice that has another answer left takes it. */
function following(path: readonly Choice[]): Choice[] | undefined {
  const last = path.findLastIndex(({ taken, of }) => taken + 1 < of);
  const choice = path[last];
  return choice === undefined ? undefined : [...path.slice(0, last), { ...choice, taken: choice.taken + 1 }];
}
