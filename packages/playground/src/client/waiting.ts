/** What the inbox of a server says, as the page has it. What it does not know it leaves out. Pure. */
import type { About, Details, Wanted } from "../desk/question.ts";
import { isRecord } from "../is-record.ts";
import { boundsIn } from "./wanted.ts";
import { numberIn, present, textIn, type Fields } from "../wire/record.ts";

/** A question of a run that a server keeps. */
export interface WaitingQuestion {
  readonly key: string;
  readonly message: string;
  readonly wanted: Wanted;
  readonly details: Details;
}

/** A run that waits for somebody, as a server keeps it. */
export interface WaitingRun {
  readonly run: string;
  readonly tool: string;
  readonly title?: string;
  readonly about?: About;
  /** When it was asked, in milliseconds. */
  readonly since: number;
  readonly questions: readonly WaitingQuestion[];
}

export function waitingIn(value: unknown): WaitingRun | undefined {
  if (!isRecord(value)) return undefined;
  const { run, tool } = value;
  if (typeof run !== "string" || typeof tool !== "string") return undefined;
  const title = textIn(value, "title");
  const about = present({ description: textIn(value, "description"), input: value["input"] });
  return {
    run,
    tool,
    ...(title === undefined ? {} : { title }),
    ...(Object.keys(about).length === 0 ? {} : { about }),
    since: numberIn(value, "since") ?? 0,
    questions: questionsIn(value),
  };
}

export function questionsIn({ questions }: Fields): readonly WaitingQuestion[] {
  return (Array.isArray(questions) ? questions : []).filter(isRecord).flatMap((fields) => {
    const key = textIn(fields, "key");
    if (key === undefined) return [];
    return [
      { key, message: textIn(fields, "message") ?? "", wanted: wantedIn(fields), details: detailsIn(fields) },
    ];
  });
}

function wantedIn(fields: Fields): Wanted {
  const { form } = fields;
  if (isRecord(form)) return { by: "form", schema: form };
  const url = textIn(fields, "url");
  return url === undefined ? { by: "page" } : { by: "url", url };
}

function detailsIn(fields: Fields): Details {
  const { options } = fields;
  const told = (Array.isArray(options) ? options : [])
    .filter(isRecord)
    .map(({ value, description }) => [value, description] as const)
    .filter((option): option is readonly [string, string] =>
      option.every((text) => typeof text === "string"),
    );
  return present({
    ask: textIn(fields, "ask"),
    dangerous: fields["dangerous"] === true ? true : undefined,
    deadline: numberIn(fields, "expires"),
    hint: textIn(fields, "hint"),
    description: textIn(fields, "description"),
    attempt: numberIn(fields, "attempt"),
    options: told.length === 0 ? undefined : Object.fromEntries(told),
    ...boundsIn(fields),
  });
}
