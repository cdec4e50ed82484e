/** Where effects are made: found in stacks, and followed over awaits. Loaded by the hosts that want it. */
import type { Diagnosis, MadeEffects, Origin } from "./made-effects.ts";
import { newAsyncContext } from "./util/platform.ts";

export function newDiagnosis(): Diagnosis {
  return { context: newAsyncContext<MadeEffects>(), origin: () => new StackOrigin() };
}

/** A stack, read when it is asked for. */
class StackOrigin implements Origin {
  readonly #error = new Error("Here");

  get place(): string | undefined {
    const [frame = ""] = outerFrames(this.#error);
    const place = LOCATION.exec(frame)?.[1];
    return place === undefined ? undefined : decodeURI(place.replace(/^file:\/\//, ""));
  }

  get isModule(): boolean {
    const frames = outerFrames(this.#error);
    const below = frames.findIndex(isOurs);
    return (below === -1 ? frames : frames.slice(0, below)).some((frame) => LOADER.test(frame));
  }
}

/** Where a frame is: `file:line:column`. */
const LOCATION = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/;

/** What evaluates a module, in Node and in Vite. */
const LOADER = /node:internal\/modules\/|\bModule(?:Runner|Evaluator)\b/;

const framesOf = ({ stack = "" }: Error): readonly string[] =>
  stack.split("\n").filter((line) => /^\s+at /.test(line));

/** The frames of a stack without those on top that are ours. */
function outerFrames(error: Error): readonly string[] {
  const frames = framesOf(error);
  const first = frames.findIndex((frame) => !isOurs(frame));
  return first === -1 ? [] : frames.slice(first);
}

let ourFolder: string | undefined;

/** Whether a frame is in the folder of this file, where the whole package is. */
function isOurs(frame: string): boolean {
  ourFolder ??= LOCATION.exec(framesOf(new Error("Here"))[0] ?? "")?.[1]?.replace(/[^/\\]*$/, "") ?? "";
  return ourFolder !== "" && frame.includes(ourFolder);
}
