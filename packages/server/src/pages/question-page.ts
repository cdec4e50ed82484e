/** The page of a question: the server and tool, the question and its fields, the use of the answer, the deadline. Pure. */
import { isDangerous } from "@photon/core";
import type { Problems } from "./form-answer.ts";
import { type Field, renderField } from "./fields.ts";
import { attributes, html, type Html } from "./html.ts";
import { UNENCRYPTED } from "./notices.ts";
import type { OpenAsk } from "../protocol/elicitation.ts";
import type { PageFor } from "./page.ts";
import type { PageResponse } from "./send-page.ts";

interface QuestionView {
  readonly pageFor: PageFor;
  readonly fields: readonly Field[];
  /** The token that the forms of this page send. */
  readonly formToken: string;
  readonly deadline: number | undefined;
  /** Whether the browser is on this machine. */
  readonly isLocal: boolean;
  /** Whether the page is sent over plain HTTP. */
  readonly isUnencrypted: boolean;
  /** The form that was sent last, and its problems. */
  readonly typed?: URLSearchParams | undefined;
  readonly problems?: Problems | undefined;
}

const NO_PROBLEMS: Problems = new Map();

/** Longer messages are not a heading. */
const MAX_TITLE_LENGTH = 160;
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 20_000;

export function questionPage(view: QuestionView, status = 200): PageResponse {
  const { pageFor, fields, formToken, problems = NO_PROBLEMS } = view;
  const { question } = pageFor;
  const isFile = question.ask === "file";
  const form = attributes({
    method: "post",
    autocomplete: "off",
    novalidate: true,
    enctype: isFile ? "multipart/form-data" : undefined,
  });
  const hidden = html`<input type="hidden" name="proof" value="${formToken}" />`;
  const server = shorten(pageFor.server);
  const main = html`<p class="who"><strong>${server}</strong> asks you, for its tool <strong>${shorten(pageFor.tool)}</strong></p>
${summary(problems)}${cautions(view)}${heading(question)}
<form id="decline" method="post">${hidden}<input type="hidden" name="do" value="decline"></form>
<form${form}>${hidden}${fields.map((field) => renderField({ field, problem: problems.get(field), typed: view.typed, isLocal: view.isLocal }))}
${urlOrDefault(question)}<p class="usage">${ANSWER_USAGE[question.ask] ?? DEFAULT_USAGE}</p>
<div class="buttons">${buttons(question)}<button class="quiet last" form="decline">Decline</button></div>
</form>
${footer(view)}`;
  const title = `${server} has a question`;
  return { status, title: problems.size > 0 ? `Problem: ${title}` : title, main };
}

/** The problems, at the top, where screen readers begin. */
function summary(problems: Problems): Html | false {
  if (problems.size === 0) return false;
  const items = [...problems].map(([field, problem]) => {
    const label = field?.label?.replace(/[^.?!:]$/, "$&:");
    const sentence = label === undefined ? problem : `${label} ${problem}`;
    return html`<li>${field === undefined ? sentence : html`<a href="#${field.input}">${sentence}</a>`}</li>`;
  });
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    <h2>That was not sent</h2>
    <ul>
      ${items}
    </ul>
  </div>`;
}

function cautions({
  pageFor: { question },
  isUnencrypted,
  problems,
}: QuestionView): readonly (Html | false)[] {
  return [
    isUnencrypted && UNENCRYPTED,
    isDangerous(question) &&
      html`<p class="caution">
        <strong>Take care.</strong> The tool marks this as dangerous. Say yes only if you are sure.
      </p>`,
    question.hint !== undefined &&
      problems === undefined &&
      html`<p class="caution">The last answer did not fit: it ${shorten(question.hint)}.</p>`,
  ];
}

function heading({ message, description }: OpenAsk): Html {
  const isTitle = message.length <= MAX_TITLE_LENGTH && !message.includes("\n");
  const title = isTitle
    ? html`<h1 id="question" dir="auto">${message}</h1>`
    : html`<h1 id="question">A question for you</h1>
        ${block(message, "The question")}`;
  return html`${title}${description !== undefined && block(description, "More about it")}`;
}

/** A text of any length. A long one scrolls, also by keyboard; the end of a very long one is missing. */
function block(text: string, name: string): Html {
  const isLong = text.length > 4 * MAX_TITLE_LENGTH || text.split("\n").length > 8;
  const long = isLong ? { tabindex: 0, role: "region", "aria-label": name } : {};
  const shown = text.slice(0, MAX_TEXT_LENGTH);
  const rest = shown !== text && `… (${text.length - MAX_TEXT_LENGTH} characters more)`;
  return html`<div class="text${isLong && " long"}" dir="auto" ${attributes(long)}>${shown}${rest}</div>`;
}

/** The URL of a url ask, and the default of a confirm, which have no field. */
function urlOrDefault(question: OpenAsk): Html | false {
  if (question.ask === "url")
    return html`<p class="address">${question.url}</p>
      <p><a href="${question.url}" target="_blank" rel="noopener noreferrer">Open this address</a></p>`;
  if (question.ask !== "confirm" || question.default === undefined || isDangerous(question)) return false;
  return html`<p class="hint">Suggested: ${question.default ? "yes" : "no"}.</p>`;
}

function buttons(question: OpenAsk): Html {
  if (question.ask !== "confirm")
    return html`<button name="do" value="accept">${SUBMIT_LABELS[question.ask] ?? "Send answer"}</button>`;
  const no = html`<button class="quiet" name="do" value="no">No</button>`;
  return isDangerous(question)
    ? html`${no}<button class="danger" name="do" value="yes">Yes</button>`
    : html`<button name="do" value="yes">Yes</button>${no}`;
}

function footer({ pageFor, deadline, isLocal }: QuestionView): Html {
  const open = deadline === undefined ? "until it is answered" : `until ${formatDateTime(deadline, isLocal)}`;
  return html`<footer>
    <p>The question stays open ${open}. Closing this page sends nothing.</p>
    <p>
      Answer only if you are using ${shorten(pageFor.server)} yourself just now. Do not share this address.
    </p>
  </footer>`;
}

/** What happens with the answer, and the button that sends it. */
const ANSWER_USAGE: Readonly<Partial<Record<OpenAsk["ask"], string>>> = {
  secret:
    "Only the tool gets it. It is not shown to the assistant, it is not written to a log, and this page does not keep it.",
  file: "The tool gets the file. It lies in a private temporary folder until the tool has ended, and is then removed.",
  url: "The tool is informed that you are done. What you do at that address stays between you and that site.",
};
const DEFAULT_USAGE = "The tool gets your answer, and may use it in what it tells the assistant.";
const SUBMIT_LABELS: Readonly<Partial<Record<OpenAsk["ask"], string>>> = {
  file: "Upload file",
  url: "I have done this",
};

/** A date and time: in the zone of this machine for a browser on it, else in UTC. */
function formatDateTime(time: number, isLocal: boolean): string {
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    ...(isLocal ? {} : { timeZone: "UTC" }),
  }).format(time);
}

/** A name, of limited length. */
const shorten = (name: string): string =>
  name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
