/** Pages that ask nothing: what has become of a question, or why it is not shown. Pure. */
import { NO_AUTOFILL } from "./fields.ts";
import { attributes, html, type Html } from "./html.ts";
import type { PageResponse } from "./respond.ts";

/** How a question came to its end. */
export type Ending = "answered" | "declined" | "late" | "closed";

function notice(
  status: number,
  title: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PageResponse {
  return {
    status,
    title,
    main: html`<h1>${title}</h1>
      <p>${text}</p>`,
    headers,
  };
}

const BACK: Html = html`<p><a href="">Back to the question</a></p>`;

/** As `notice`, with a way back. */
function errorNotice(
  status: number,
  title: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PageResponse {
  const { main, ...shown } = notice(status, title, text, headers);
  return { ...shown, main: html`${main}${BACK}` };
}

export const answeredPage: PageResponse = notice(
  200,
  "Thank you",
  "Your answer was sent. You can close this page.",
);
export const declinedPage: PageResponse = notice(
  200,
  "You declined",
  "The tool was told so. You can close this page.",
);

const ENDINGS: Readonly<Record<Ending, string>> = {
  answered: "It has been answered already. Nothing more was sent.",
  declined: "It has been declined. Nothing more was sent.",
  late: "The time for it is over. Nothing was sent.",
  closed: "The tool no longer waits for an answer. Nothing was sent.",
};

/** Of a question that is over. */
export const endedPage = (ending: Ending): PageResponse =>
  notice(410, "This question is closed", ENDINGS[ending]);

export const unknownPage: PageResponse = notice(
  404,
  "There is no such question",
  "The address is not right, or the question was closed long ago.",
);
export const openedElsewherePage: PageResponse = notice(
  403,
  "Already opened elsewhere",
  "This question was opened in another browser first, and only that one can answer it. If that was not you, tell whoever gave you this address.",
);
export const wrongUserPage: PageResponse = notice(
  403,
  "Not for you",
  "Somebody else was asked this. You are known here by another name.",
);
export const unidentifiedPage: PageResponse = notice(
  403,
  "Who are you?",
  "This question may only be answered by the person who was asked, and nothing here tells who you are.",
);
export const crossSitePage: PageResponse = notice(
  403,
  "That came from another page",
  "An answer is only taken from the page of its question.",
);
export const expiredFormPage: PageResponse = errorNotice(
  403,
  "That page was out of date",
  "Nothing was sent. Answer on the page as it is now.",
);
export const misaddressedPage: PageResponse = notice(
  403,
  "Not by that name",
  "This machine is not reached by the name in the address.",
);
export const failedPage: PageResponse = notice(500, "Something went wrong", "Nothing was sent. Try again.");
export const wrongMethodPage: PageResponse = notice(
  405,
  "That cannot be done here",
  "A page is looked at, and answered.",
  { allow: "GET, HEAD, POST" },
);
export const badRequestPage: PageResponse = errorNotice(400, "That was not understood", "Nothing was sent.");
export const brokenOffPage: PageResponse = errorNotice(400, "That broke off", "Nothing was sent.");
export const tooSlowPage: PageResponse = errorNotice(408, "That took too long", "Nothing was sent.", {
  connection: "close",
});
export const tooLargePage: PageResponse = errorNotice(
  413,
  "That was too much",
  "The answer was larger than any that fits. Nothing was sent.",
);
export const notFormPage: PageResponse = errorNotice(
  415,
  "That was not understood",
  "An answer is sent by the form on the page, uncompressed. Nothing was sent.",
);
export const tooManyPage: PageResponse = notice(429, "Too many attempts", "Wait a minute, and try again.", {
  "retry-after": "60",
});

/** What comes before a question: nothing is told, and nobody has it yet. */
export function entryPage(): PageResponse {
  const title = "A question is waiting for you";
  const main = html`<h1>${title}</h1>
    <p>You open it in this browser. From then on, it can be seen and answered in no other.</p>
    <form method="post">
      <div class="buttons"><button name="do" value="open">Continue</button></div>
    </form>`;
  return { status: 200, title, main };
}

/** Of a page that others on the way can read along. */
export const READABLE: Html = html`<p class="caution">
  This page came over a connection that is not encrypted. Others on the network can read what you send.
</p>`;

/** The same for those who must say who they are. */
export function signInPage(isReadable: boolean, problem?: string): PageResponse {
  const title = "A question is waiting for you";
  const input = attributes({
    id: "access",
    name: "access",
    type: "password",
    required: true,
    ...NO_AUTOFILL,
    "aria-describedby": problem === undefined ? "why" : "why wrong",
    "aria-invalid": problem === undefined ? undefined : "true",
  });
  const main = html`${isReadable && READABLE}<h1>${title}</h1>
<p id="why">It may only be answered by the person who was asked. Your access token tells that it is you.</p>
<form method="post" autocomplete="off" novalidate><div class="field"><label for="access">Access token</label>
${problem !== undefined && html`<p class="problem" id="wrong" role="alert">${problem}</p>`}<input${input}></div>
<div class="buttons"><button name="do" value="sign-in">Continue</button></div></form>`;
  return { status: problem === undefined ? 200 : 403, title, main };
}

/** Leads back to the page itself, where a reload asks for nothing to be sent again. */
export function redirectPage(token: string, cookie?: string): PageResponse {
  const kept = cookie === undefined ? {} : { "set-cookie": cookie };
  return notice(303, "Go on", "The question is at the same address.", { location: token, ...kept });
}
