/** The page that asks: who does, what, what happens with the answer, and until when. Pure. */
import type { Problems } from "./form-answer.ts";
import { type Field, renderField } from "./fields.ts";
import { attributes, html, type Html } from "./html.ts";
import { READABLE } from "./notices.ts";
import type { OpenAsk, PageFor } from "./types.ts";
import type { PageResponse } from "./respond.ts";

interface QuestionView {
  readonly asked: PageFor;
  readonly fields: readonly Field[];
  /** What a form must carry to be one of this page's. */
  readonly proof: string;
  readonly deadline: number | undefined;
  /** Whether the person sits at this machine. */
  readonly isHere: boolean;
  /** Whether others on the way can read along. */
  readonly isReadable: boolean;
  /** What was sent last, and what was wrong with it. */
  readonly typed?: URLSearchParams | undefined;
  readonly problems?: Problems | undefined;
}

const NONE: Problems = new Map();

/** Longer messages are no title. */
const LONGEST_TITLE = 160;
const LONGEST_NAME = 200;

export function questionPage(view: QuestionView, status = 200): PageResponse {
  const { asked, fields, proof, problems = NONE } = view;
  const { question } = asked;
  const isFile = question.ask === "file";
  const form = attributes({
    method: "post",
    autocomplete: "off",
    novalidate: true,
    enctype: isFile ? "multipart/form-data" : undefined,
  });
  const hidden = html`<input type="hidden" name="proof" value="${proof}" />`;
  const server = truncate(asked.server, LONGEST_NAME);
  const main = html`<p class="who"><strong>${server}</strong> asks you, for its tool <strong>${truncate(asked.tool, LONGEST_NAME)}</strong></p>
${summary(problems)}${cautions(view)}${wording(question)}
<form id="decline" method="post">${hidden}<input type="hidden" name="do" value="decline"></form>
<form${form}>${hidden}${fields.map((field) => renderField({ field, problem: problems.get(field), typed: view.typed, isHere: view.isHere }))}
${beside(question)}<p class="fate">${answerUsageText(question)}</p>
<div class="buttons">${buttons(question)}<button class="quiet last" form="decline">Decline</button></div>
</form>
${footer(view)}`;
  const title = `${server} has a question`;
  return { status, title: problems.size > 0 ? `Problem: ${title}` : title, main };
}

/** What is wrong, at the top, where those who hear the page begin. */
function summary(problems: Problems): Html | false {
  if (problems.size === 0) return false;
  const items = [...problems].map(([field, problem]) => {
    const label = field?.label?.replace(/[^.?!:]$/, "$&:");
    const said = label === undefined ? problem : `${label} ${problem}`;
    return html`<li>${field === undefined ? said : html`<a href="#${field.input}">${said}</a>`}</li>`;
  });
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
    <h2>That was not sent</h2>
    <ul>
      ${items}
    </ul>
  </div>`;
}

function cautions({ asked: { question }, isReadable, problems }: QuestionView): readonly (Html | false)[] {
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  return [
    isReadable && READABLE,
    isDangerous &&
      html`<p class="caution">
        <strong>Take care.</strong> The tool marks this as dangerous. Say yes only if you are sure.
      </p>`,
    question.hint !== undefined &&
      problems === undefined &&
      html`<p class="caution">The last answer did not fit: it ${truncate(question.hint, LONGEST_NAME)}.</p>`,
  ];
}

function wording({ message, description }: OpenAsk): Html {
  const isTitle = message.length <= LONGEST_TITLE && !message.includes("\n");
  const asked = isTitle
    ? html`<h1 id="question" dir="auto">${message}</h1>`
    : html`<h1 id="question">A question for you</h1>
        ${block(message, "The question")}`;
  return html`${asked}${description !== undefined && block(description, "More about it")}`;
}

/** A text of any length; a long one scrolls, by keyboard too. */
function block(text: string, name: string): Html {
  const isLong = text.length > 4 * LONGEST_TITLE || text.split("\n").length > 8;
  const long = isLong ? { tabindex: 0, role: "region", "aria-label": name } : {};
  return html`<div class="text${isLong && " long"}" dir="auto" ${attributes(long)}>${truncate(text)}</div>`;
}

/** What there is to see where there is no field to see it in. */
function beside(question: OpenAsk): Html | false {
  if (question.ask === "url") return address(question.url);
  if (question.ask !== "confirm" || question.default === undefined || question.dangerous === true)
    return false;
  return html`<p class="hint">Suggested: ${question.default ? "yes" : "no"}.</p>`;
}

function buttons(question: OpenAsk): Html {
  if (question.ask !== "confirm")
    return html`<button name="do" value="accept">${submitLabel(question)}</button>`;
  const no = html`<button class="quiet" name="do" value="no">No</button>`;
  return question.dangerous === true
    ? html`${no}<button class="danger" name="do" value="yes">Yes</button>`
    : html`<button name="do" value="yes">Yes</button>${no}`;
}

function address(url: string): Html {
  return html`<p class="address">${url}</p>
    <p><a href="${url}" target="_blank" rel="noopener noreferrer">Open this address</a></p>`;
}

function footer({ asked, deadline, isHere }: QuestionView): Html {
  const open = deadline === undefined ? "until it is answered" : `until ${formatDateTime(deadline, isHere)}`;
  return html`<footer>
    <p>The question stays open ${open}. Closing this page sends nothing.</p>
    <p>
      Answer only if you are using ${truncate(asked.server, LONGEST_NAME)} yourself just now, and pass this
      address on to nobody.
    </p>
  </footer>`;
}

/** What pages say beside the question itself. Pure. */

/** What happens with the answer. */
function answerUsageText({ ask }: OpenAsk): string {
  switch (ask) {
    case "secret":
      return "Only the tool gets it. It is not shown to the assistant, it is not written to a log, and this page does not keep it.";
    case "file":
      return "The tool gets the file. It lies in a private temporary folder until the tool has ended, and is then removed.";
    case "url":
      return "The tool is told that you are done. What you do at that address stays between you and that site.";
    default:
      return "The tool gets your answer, and may use it in what it tells the assistant.";
  }
}

/** What the button says that sends the answer. */
function submitLabel({ ask }: OpenAsk): string {
  if (ask === "file") return "Upload file";
  return ask === "url" ? "I have done this" : "Send answer";
}

/** A moment as people write it: in the zone of this machine where they sit at it, else in UTC. */
function formatDateTime(time: number, isHere: boolean): string {
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    ...(isHere ? {} : { timeZone: "UTC" }),
  }).format(time);
}

const LONGEST = 20_000;

/** A text that is not endless: whoever wrote it must not fill the page. */
function truncate(text: string, most: number = LONGEST): string {
  if (text.length <= most) return text;
  const rest = text.length - most;
  return most < LONGEST ? `${text.slice(0, most)}…` : `${text.slice(0, most)}… (${rest} characters more)`;
}
