/** The input as JSON, checked as the form checks it. */
import type { JSX, TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { JsonSchema } from "../../desk/offer.ts";
import type { Given } from "../../desk/run.ts";
import type { InputProps } from "../../forms/input-props.ts";
import { problemsOf } from "../../forms/problems.ts";
import { isRecord } from "../../is-record.ts";
import { pretty } from "../parts/clip.ts";

interface Read {
  readonly given?: Given;
  readonly problems: readonly string[];
}

export function RawInput({ schema, given, onChange, onSubmit, children }: InputProps): JSX.Element {
  const [text, setText] = useState(() => pretty(given));
  const [problems, setProblems] = useState<readonly string[]>([]);
  const type = (typed: string): void => {
    setText(typed);
    const read = readInput(typed, schema);
    // Only what was complained about is taken back while somebody types; new complaints wait for Run.
    setProblems(problems.length === 0 ? [] : read.problems);
    if (read.given !== undefined) onChange(read.given);
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const read = readInput(text, schema);
    setProblems(read.problems);
    if (read.given !== undefined && read.problems.length === 0) onSubmit(read.given);
  };
  return (
    <form class="schema-form" onSubmit={submit} noValidate>
      <div class="field">
        <label for="raw-input">Input as JSON</label>
        <textarea
          id="raw-input"
          class="mono raw"
          rows={8}
          spellcheck={false}
          value={text}
          aria-invalid={problems.length > 0}
          aria-describedby="raw-problems"
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
        <ul class="problems" id="raw-problems" role="alert">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
      {children}
    </form>
  );
}

function readInput(text: string, schema: JsonSchema): Read {
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch (error) {
    return { problems: [`This is no JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  if (!isRecord(value)) return { problems: ["The input must be an object: { … }"] };
  const problems = problemsOf(schema, value).map(({ path, message }) =>
    `${path.join(" › ") || "The input"} ${message}`.trim(),
  );
  return { given: value, problems };
}
