/** Prompts for values that are typed: text, numbers, dates, a dangerous yes, secrets, paths; and for a visit to a URL. */
import { sep } from "node:path";
import type { ConfirmAsk, FieldAsk, FileAsk, Reply, SecretAsk, UrlAsk } from "@photon/core";
import { fileAnswer, parseValue } from "../parse-answer.ts";
import { LINE_END, PromptText, runPrompt, type PromptOptions } from "../run-prompt.ts";
import { expectedFor } from "../question-text.ts";
import { cleanText } from "../text.ts";
import { askConfirm, askMultiselect, askRating, askSelect, askYesNo, choose } from "./choice.ts";

/** Prompts for one value: a question, or a field of a form. */
export function askField(ask: FieldAsk, options: PromptOptions): Promise<Reply> {
  switch (ask.ask) {
    case "text":
    case "number":
    case "date":
      return askLine(ask, options);
    case "rating":
      return askRating(ask, options);
    case "confirm":
      return ask.dangerous === true ? askDangerous(ask, options) : askConfirm(ask, options);
    case "select":
      return askSelect(ask, options);
    case "multiselect":
      return askMultiselect(ask, options);
    default:
      return ask satisfies never;
  }
}

type LineAsk = Exclude<FieldAsk, { ask: "confirm" | "select" | "multiselect" }>;

/** Whether a text may have several lines. A text with a format has one. */
const mayHaveLines = (ask: LineAsk): boolean => ask.ask === "text" && ask.format === undefined;

function lineParser(ask: LineAsk, isBox: boolean): (line: string) => unknown {
  if (mayHaveLines(ask)) return isBox ? (line) => line : (line) => line.replaceAll(LINE_END, "\n");
  return (line) => (line === "" ? undefined : parseValue(ask, line));
}

/** Text, a number, a date: a line that is checked when it is sent. */
async function askLine(ask: LineAsk, { context, check, isOptional }: PromptOptions): Promise<Reply> {
  const text = new PromptText({ ...ask, expected: expectedFor(ask, isOptional) }, context, { guided: true });
  const suggestion = ask.default === undefined ? undefined : cleanText(String(ask.default));
  // A prompt of one line cannot show line breaks: a suggestion that has some is edited in a box.
  const isBox = suggestion !== undefined && /[\n↵]/.test(suggestion);
  const parse = lineParser(ask, isBox);
  const accepts = isBox ? "box" : mayHaveLines(ask) ? "lines" : "line";
  const reply = await runPrompt(context, text, { accepts }, (streams) =>
    (isBox ? context.clack.multiline : context.clack.text)({
      ...streams,
      ...(isBox ? { showSubmit: true } : {}),
      ...(ask.ask === "date" && ask.time !== true ? { placeholder: "yyyy-mm-dd" } : {}),
      ...(suggestion === undefined ? {} : { initialValue: suggestion }),
      get message() {
        return text.current;
      },
      async validate(line = "") {
        return text.checked(isOptional && line === "" ? undefined : await check(parse(line)));
      },
    }),
  );
  if (reply.action !== "accept") return reply;
  // clack returns the line that was typed.
  const line = reply.value as string;
  return { action: "accept", value: isOptional && line === "" ? undefined : parse(line) };
}

/** Yes is a whole word here, so that no key pressed by mistake means yes. Enter alone is no, whatever was suggested. */
async function askDangerous(ask: ConfirmAsk, { context }: PromptOptions): Promise<Reply> {
  const { clack } = context;
  const message = {
    ...ask,
    warning: `${clack.S_WARN} This is dangerous.`,
    expected: "type yes for yes, enter alone is no",
  };
  const text = new PromptText(message, context, { guided: true });
  const reply = await runPrompt(context, text, { accepts: "word" }, (streams) =>
    clack.text({
      ...streams,
      get message() {
        return text.current;
      },
      validate(line = "") {
        const isWord = /^\s*(?:yes|no?)?\s*$/i.test(line);
        return text.checked(isWord ? undefined : 'Type the whole word "yes", or "no".');
      },
    }),
  );
  return reply.action === "accept" ? { action: "accept", value: /yes/i.test(String(reply.value)) } : reply;
}

/** A value that is never shown. */
export function askSecret(ask: SecretAsk, { context, check }: PromptOptions): Promise<Reply> {
  const text = new PromptText({ ...ask, expected: expectedFor(ask, false) }, context, { guided: true });
  return runPrompt(context, text, { accepts: "line" }, (streams) =>
    context.clack.password({
      ...streams,
      get message() {
        return text.current;
      },
      async validate(secret = "") {
        return text.checked(await check(secret));
      },
    }),
  );
}

/** The path of a file, completed while it is typed. The file is checked before the answer is sent. */
export async function askFile(ask: FileAsk, { context }: PromptOptions): Promise<Reply> {
  const { cwd } = context.terminal;
  const text = new PromptText({ ...ask, expected: expectedFor(ask, false) }, context, { guided: true });
  const reply = await runPrompt(context, text, { accepts: "line" }, (streams) =>
    context.clack.path({
      ...streams,
      initialValue: cwd.endsWith(sep) ? cwd : `${cwd}${sep}`,
      // clack draws it by its `toString`.
      message: text as unknown as string,
      async validate(path = "") {
        const found = await fileAnswer(path, ask, cwd);
        const problem = "problem" in found ? found.problem : undefined;
        text.hasProblem = problem !== undefined;
        return problem;
      },
    }),
  );
  if (reply.action !== "accept") return reply;
  const found = await fileAnswer(String(reply.value), ask, cwd);
  return { action: "accept", value: "problem" in found ? undefined : found.value };
}

/** A visit to a URL. The whole URL is shown, and opened only after a yes. The person then says when it is done. */
export async function askUrl(ask: UrlAsk, { context }: PromptOptions): Promise<Reply> {
  const { clack, terminal } = context;
  const { output, colors } = terminal;
  // Normalised as in a browser: letters that imitate another host name are shown in Punycode.
  const { href, host } = new URL(ask.url);
  const about = ask.description === undefined ? [] : [colors.dim(cleanText(ask.description))];
  // On a line of its own and unbroken, so that it can be copied.
  clack.log.step([cleanText(ask.message), ...about, colors.cyan(href)].join("\n"), { output });
  const opening = await askYesNo({ message: `Open it? (${host})` }, false, context);
  if (opening.action !== "accept") return opening;
  if (opening.value === true && !(await terminal.open(href)))
    clack.log.warn("No browser was found: copy the address into a browser.", { output });
  const options = [
    { value: "done", title: "It is done" },
    { value: "decline", title: "Decline" },
  ];
  const done = await choose({ message: "Is it done there?" }, options, "done", {
    context,
    isOptional: false,
  });
  if (done.action !== "accept") return done;
  return { action: done.value === "decline" ? "decline" : "accept" };
}
