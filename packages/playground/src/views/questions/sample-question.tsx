/** The tool wants a model to speak. Whoever is here speaks for it. */
import type { JSX, TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { Question } from "../../desk/question.ts";
import { isRecord } from "../../is-record.ts";
import { clip, pretty } from "../parts/clip.ts";
import { LongText } from "../parts/long-text.tsx";
import { useStage } from "../stage.ts";
import { AnswerButtons } from "./answer-buttons.tsx";

export function SampleQuestion({
  question,
  params,
}: {
  readonly question: Question;
  readonly params: { readonly [name: string]: unknown };
}): JSX.Element {
  const { desk, drafts } = useStage();
  const [text, setText] = useState(() => String(drafts.get(question.id)?.["text"] ?? ""));
  const [isChecked, setChecked] = useState(false);
  const problem = text.trim() === "" ? "Say something for the model." : undefined;
  const change = (typed: string): void => {
    drafts.set(question.id, { text: typed });
    setText(typed);
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setChecked(true);
    if (problem === undefined) desk.answer(question, { action: "accept", content: { text } });
  };
  return (
    <form class="question-form" onSubmit={submit} noValidate>
      <Conversation params={params} />
      <div class="field">
        <label for="answer-sample">What the model says</label>
        <textarea
          id="answer-sample"
          rows={5}
          value={text}
          aria-describedby="answer-sample-problem"
          aria-invalid={isChecked && problem !== undefined}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <p class="problem" id="answer-sample-problem" role="alert">
          {isChecked && problem}
        </p>
      </div>
      <AnswerButtons question={question}>
        <button type="submit" class="primary">
          Accept
        </button>
      </AnswerButtons>
    </form>
  );
}

function Conversation({ params }: { readonly params: { readonly [name: string]: unknown } }): JSX.Element {
  const { messages, systemPrompt, ...rest } = params;
  const said: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return (
    <div class="conversation">
      {typeof systemPrompt === "string" && <Message role="system" content={systemPrompt} />}
      {said.filter(isRecord).map(({ role, content }, index) => (
        <Message key={index} role={String(role)} content={content} />
      ))}
      {Object.keys(rest).length > 0 && (
        <details>
          <summary>What else it says about the model</summary>
          <LongText text={pretty(rest)} mono />
        </details>
      )}
    </div>
  );
}

function Message({ role, content }: { readonly role: string; readonly content: unknown }): JSX.Element {
  const text = isRecord(content) && typeof content["text"] === "string" ? content["text"] : content;
  return (
    <div class="message">
      <span class="role">{clip(role, 20)}</span>
      <LongText
        text={typeof text === "string" ? text : pretty(text)}
        mono={typeof text !== "string"}
        first={4000}
      />
    </div>
  );
}
