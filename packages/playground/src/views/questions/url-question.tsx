/**
 * A question that sends somebody to a web page: any page, or one of this server's for what a client must not see.
 *
 *   1. The whole address is shown before it can be opened, as it will be: no sign in it turns the others round.
 *   2. It is opened by a click on it, and by nothing else; and only if it is http or https.
 */
import type { JSX } from "preact";
import type { Question } from "../../desk/question.ts";
import { clip } from "../parts/clip.ts";
import { Icon } from "../parts/icons.tsx";
import { LongText } from "../parts/long-text.tsx";
import { webAddress } from "../parts/safe-link.tsx";
import { useStage } from "../stage.ts";
import { AnswerButtons } from "./answer-buttons.tsx";

/** Looked up by what a server says. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["secret", "It is typed into a page of the server, so that neither this page nor the model sees it."],
  ["file", "It is uploaded on a page of the server."],
]);

export function UrlQuestion({
  question,
  url,
}: {
  readonly question: Question;
  readonly url: string;
}): JSX.Element {
  const { desk } = useStage();
  const { ask = "url" } = question.details;
  const href = webAddress(url);
  const isOurs = ask === "secret" || ask === "file";
  const isWaiting = question.waitsFor === "page";
  return (
    <div class="question-form">
      {WORDS.has(ask) && <p>{WORDS.get(ask)}</p>}
      <div class="address">
        <LongText text={href ?? clip(url, 4000)} mono first={4000} />
      </div>
      {href === undefined ? (
        <p class="problem">This is no web address (http or https), so it is not opened from here.</p>
      ) : (
        <p>
          <a
            class={isWaiting ? "button" : "button primary"}
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => desk.visit(question)}
          >
            <Icon name="open" />{" "}
            {isWaiting ? "Open the page again" : `Open the page at ${clip(new URL(href).host, 80)}`}
            <span class="unseen"> (opens in a new tab)</span>
          </a>
        </p>
      )}
      <p class="waiting-note" role="status">
        {isWaiting &&
          (isOurs ? "Waiting for the page to be filled in…" : "When it is done there, accept here.")}
      </p>
      <AnswerButtons question={question}>
        {!isOurs && (
          <button
            type="button"
            class={isWaiting ? "primary" : ""}
            onClick={() => desk.answer(question, { action: "accept" })}
          >
            Accept: it is done there
          </button>
        )}
      </AnswerButtons>
    </div>
  );
}
