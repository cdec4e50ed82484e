import type { Choice, MultiselectAsk, Reply, SelectAsk } from "@photon/core";
import { escapeJson, oneLine } from "../clean-text.ts";
import { hear, isReturn } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words, type Wording } from "../words.ts";
import type { Field } from "./field.ts";

/** More than this is searched, not read. */
const MOST_AT_A_GLANCE = 10;

/** Something to choose, whatever it stands for. */
interface Option<Value> {
  readonly value: Value;
  readonly title: string;
  readonly description?: string;
}

/** What stands for leaving something empty; no value of a tool's is this one. */
const EMPTY = { isEmpty: true } as const;

/** An option as clack shows it. Its title is never blank, whatever the tool said. */
function shown<Value>({ value, title, description }: Option<Value>): {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
} {
  const hint = description === undefined ? "" : oneLine(description);
  const label = oneLine(title) || oneLine(escapeJson(JSON.stringify(value)));
  return { value, label, ...(hint === "" ? {} : { hint }) };
}

/** One of several; searched by typing where there are many. Yes or no can be typed. */
export async function choose<Value>(
  wording: Wording,
  options: readonly Option<Value>[],
  suggested: Value | undefined,
  {
    scene,
    isOptional,
    isYesNo = false,
  }: Pick<Field, "scene" | "isOptional"> & { readonly isYesNo?: boolean },
): Promise<Reply> {
  const { clack } = scene;
  const empty = { value: EMPTY, title: "(leave it empty)" };
  const all: readonly Option<Value | typeof EMPTY>[] = isOptional ? [empty, ...options] : options;
  const isLong = all.length > MOST_AT_A_GLANCE;
  const words = new Words(wording, scene, { guided: isLong });
  // clack's own list, which it only reads; its options are typed by whether their value is a primitive.
  const list = all.map(shown) as never[];
  const first = suggested ?? (isOptional ? EMPTY : undefined);
  const initial = first === undefined ? {} : { initialValue: first as never };
  const yesNo = {
    options: all.map(({ title }) => title.toLowerCase()),
    suggested: all.findIndex(({ value }) => value === first),
  };
  const typing = isLong
    ? ({ takes: "line" } as const)
    : isYesNo
      ? ({ takes: "line", settles: isReturn, yesNo } as const)
      : ({ takes: "keys", settles: isReturn } as const);
  const reply = await hear<unknown>(scene, words, typing, (streams) => {
    const shared = {
      ...streams,
      options: list,
      ...initial,
    };
    if (!isLong)
      return clack.select<unknown>({
        ...shared,
        get message() {
          return words.now;
        },
      });
    return clack.autocomplete<unknown>({
      ...shared,
      maxItems: MOST_AT_A_GLANCE,
      get message() {
        return words.now;
      },
      validate(value) {
        words.isSettled = value !== undefined;
        return value === undefined ? "Choose one of the list." : undefined;
      },
    });
  });
  if (reply.action !== "accept") return reply;
  return { action: "accept", value: reply.value === EMPTY ? undefined : reply.value };
}

export function askSelect(ask: SelectAsk, field: Field): Promise<Reply> {
  return choose<string>(
    { ...ask, wanted: wantedFor(ask, field.isOptional) },
    ask.options,
    ask.default,
    field,
  );
}

/** Several of them. How many is checked when they are sent: then it is asked again, with what was chosen. */
export async function askMultiselect(ask: MultiselectAsk, field: Field): Promise<Reply> {
  const { scene, check, isOptional } = field;
  const { clack, terminal } = scene;
  const isLong = ask.options.length > MOST_AT_A_GLANCE;
  const wording = { ...ask, wanted: wantedFor(ask, isOptional) };
  const options = ask.options.map((option: Choice) => shown(option));
  let chosen: readonly string[] = ask.default ?? [];
  for (;;) {
    const words = new Words(wording, scene, { guided: isLong });
    const typing = { takes: isLong ? "line" : "keys", settles: isReturn } as const;
    const reply = await hear(scene, words, typing, (streams) =>
      (isLong ? clack.autocompleteMultiselect<string> : clack.multiselect<string>)({
        ...streams,
        options,
        initialValues: [...chosen],
        required: false,
        get message() {
          return words.now;
        },
      }),
    );
    if (reply.action !== "accept") return reply;
    // What clack gives back are values of its options.
    const values = inOrder(ask.options, reply.value as readonly string[]);
    if (isOptional && values.length === 0) return { action: "accept" };
    const problem = await check(values);
    if (problem === undefined) return { action: "accept", value: values };
    clack.log.warn(problem, { output: terminal.output });
    chosen = values;
  }
}

/** The values in the order of the options, whatever the order they were chosen in. */
function inOrder(options: readonly Choice[], values: readonly string[]): readonly string[] {
  return options.map(({ value }) => value).filter((value) => values.includes(value));
}
