/** Prompts for a choice of a list: one or several, searched by typing if the list is long; yes or no; a rating. */
import type { Choice, ConfirmAsk, MultiselectAsk, RatingAsk, Reply, SelectAsk } from "@photon/core";
import { isReturn } from "../keyboard.ts";
import {
  PromptText,
  runPrompt,
  type PromptContext,
  type PromptMessage,
  type PromptOptions,
} from "../run-prompt.ts";
import { expectedFor } from "../question-text.ts";
import { escapeJson, oneLine } from "../text.ts";

/** A longer list is searched by typing. */
const MAX_VISIBLE = 10;

interface Option<Value> {
  readonly value: Value;
  readonly title: string;
  readonly description?: string;
}

/** The value of "leave it empty", which is different from every value of a tool. */
const EMPTY = { isEmpty: true } as const;

/** An option of clack. Its label is never blank. */
function clackOption<Value>({ value, title, description }: Option<Value>): {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
} {
  const hint = description === undefined ? "" : oneLine(description);
  const label = oneLine(title) || oneLine(escapeJson(JSON.stringify(value)));
  return { value, label, ...(hint === "" ? {} : { hint }) };
}

/** One of several options. With `isYesNo`, the word can be typed. */
export async function choose<Value>(
  message: PromptMessage,
  options: readonly Option<Value>[],
  suggested: Value | undefined,
  {
    context,
    isOptional,
    isYesNo = false,
  }: Pick<PromptOptions, "context" | "isOptional"> & { readonly isYesNo?: boolean },
): Promise<Reply> {
  const { clack } = context;
  const empty = { value: EMPTY, title: "(leave it empty)" };
  const all: readonly Option<Value | typeof EMPTY>[] = isOptional ? [empty, ...options] : options;
  const isLong = all.length > MAX_VISIBLE;
  const text = new PromptText(message, context, { guided: isLong });
  // A mutable list, which clack only reads. Its type depends on whether the values are primitive.
  const list = all.map(clackOption) as never[];
  const first = suggested ?? (isOptional ? EMPTY : undefined);
  const initial = first === undefined ? {} : { initialValue: first as never };
  const yesNo = {
    options: all.map(({ title }) => title.toLowerCase()),
    suggested: all.findIndex(({ value }) => value === first),
  };
  const keys = isLong
    ? ({ accepts: "line" } as const)
    : isYesNo
      ? ({ accepts: "line", ends: isReturn, yesNo } as const)
      : ({ accepts: "keys", ends: isReturn } as const);
  const reply = await runPrompt<unknown>(context, text, keys, (streams) => {
    const shared = {
      ...streams,
      options: list,
      ...initial,
    };
    if (!isLong)
      return clack.select<unknown>({
        ...shared,
        get message() {
          return text.current;
        },
      });
    return clack.autocomplete<unknown>({
      ...shared,
      maxItems: MAX_VISIBLE,
      get message() {
        return text.current;
      },
      validate(value) {
        return text.checked(value === undefined ? "Choose one of the list." : undefined);
      },
    });
  });
  if (reply.action !== "accept") return reply;
  return { action: "accept", value: reply.value === EMPTY ? undefined : reply.value };
}

export function askSelect(ask: SelectAsk, options: PromptOptions): Promise<Reply> {
  return choose<string>(
    { ...ask, expected: expectedFor(ask, options.isOptional) },
    ask.options,
    ask.default,
    options,
  );
}

/** Several options. Their number is checked when they are sent; if it does not fit, the prompt comes back with the selection. */
export async function askMultiselect(ask: MultiselectAsk, prompt: PromptOptions): Promise<Reply> {
  const { context, check, isOptional } = prompt;
  const { clack, terminal } = context;
  const isLong = ask.options.length > MAX_VISIBLE;
  const message = { ...ask, expected: expectedFor(ask, isOptional) };
  const options = ask.options.map((option: Choice) => clackOption(option));
  let chosen: readonly string[] = ask.default ?? [];
  for (;;) {
    const text = new PromptText(message, context, { guided: isLong });
    const keys = { accepts: isLong ? "line" : "keys", ends: isReturn } as const;
    const reply = await runPrompt(context, text, keys, (streams) =>
      (isLong ? clack.autocompleteMultiselect<string> : clack.multiselect<string>)({
        ...streams,
        options,
        initialValues: [...chosen],
        required: false,
        get message() {
          return text.current;
        },
      }),
    );
    if (reply.action !== "accept") return reply;
    // clack returns values of the options.
    const values = inOrder(ask.options, reply.value as readonly string[]);
    if (isOptional && values.length === 0) return { action: "accept" };
    const problem = await check(values);
    if (problem === undefined) return { action: "accept", value: values };
    clack.log.warn(problem, { output: terminal.output });
    chosen = values;
  }
}

/** The values in the order of the options. */
function inOrder(options: readonly Choice[], values: readonly string[]): readonly string[] {
  return options.map(({ value }) => value).filter((value) => values.includes(value));
}

/** Yes or no. Enter alone is yes only if the tool suggests yes. */
export function askConfirm(ask: ConfirmAsk, { context, isOptional }: PromptOptions): Promise<Reply> {
  if (!isOptional) return askYesNo(ask, ask.default ?? false, context);
  const options = [
    { value: true, title: "Yes" },
    { value: false, title: "No" },
  ];
  const message = { ...ask, expected: expectedFor(ask, isOptional) };
  return choose(message, options, ask.default, { context, isOptional, isYesNo: true });
}

/** Yes or no, typed or chosen with the arrows; enter sends it. */
export function askYesNo(message: PromptMessage, suggested: boolean, context: PromptContext): Promise<Reply> {
  const text = new PromptText({ ...message, expected: "type yes or no, then enter" }, context, {
    guided: false,
  });
  const yesNo = { options: ["yes", "no"], suggested: suggested ? 0 : 1 };
  return runPrompt(context, text, { accepts: "line", ends: isReturn, yesNo }, (streams) =>
    context.clack.confirm({
      ...streams,
      initialValue: suggested,
      get message() {
        return text.current;
      },
    }),
  );
}

/** The value of an optional rating that is left empty. */
const NO_STARS = 0;

/** A row for each number of stars. Its digit chooses and sends it; 0 is 10. The arrow keys choose, and enter sends. */
export async function askRating(ask: RatingAsk, { context, isOptional }: PromptOptions): Promise<Reply> {
  const { max, default: suggested } = ask;
  const { star, noStar } = context.terminal.symbols;
  const ratings = Array.from({ length: max }, (_, index) => ({
    value: index + 1,
    label: `${String(index + 1).padStart(max > 9 ? 2 : 1)} ${star.repeat(index + 1)}${noStar.repeat(max - index - 1)}`,
  }));
  const options = isOptional ? [{ value: NO_STARS, label: "(leave it empty)" }, ...ratings] : ratings;
  const first = options.findIndex(({ value }) => value === (suggested ?? NO_STARS));
  const expected = `press ${max > 9 ? "1 to 9, or 0 for 10" : `1 to ${max}`}`;
  const text = new PromptText({ ...ask, expected }, context, { guided: false });
  const digits = options.map(({ value }) => (value === NO_STARS ? "" : String(value % 10)));
  const keys = {
    accepts: "keys",
    ends: isReturn,
    digits: { options: digits, suggested: Math.max(first, 0), isChosen: first >= 0 },
  } as const;
  const reply = await runPrompt(context, text, keys, (streams) =>
    context.clack.select<number>({
      ...streams,
      options,
      ...(first < 0 ? {} : { initialValue: options[first]?.value ?? NO_STARS }),
      get message() {
        return text.current;
      },
    }),
  );
  return reply.action === "accept" && reply.value === NO_STARS ? { action: "accept" } : reply;
}
