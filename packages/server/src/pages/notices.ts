/** Pages without a question: how it ended, why it is not shown, and the forms by which a browser claims it. Pure. */
import { attributes, html, type Html, NO_AUTOFILL } from "./html.ts";
import type { PageResponse } from "./send-page.ts";

/** `retry`: has a link back to the question. */
const NOTICES = {
  answered: { status: 200, title: "Thank you", text: "Your answer was sent. You can close this page." },
  declined: {
    status: 200,
    title: "You declined",
    text: "The tool has been informed. You can close this page.",
  },
  badRequest: { status: 400, title: "That was not understood", text: "Nothing was sent.", retry: true },
  incomplete: { status: 400, title: "That was incomplete", text: "Nothing was sent.", retry: true },
  openedElsewhere: {
    status: 403,
    title: "Already opened elsewhere",
    text: "This question was opened in another browser first, and only that one can answer it. If that was not you, inform the person who gave you this address.",
  },
  wrongUser: {
    status: 403,
    title: "Not for you",
    text: "Another user was asked this. You are signed in under another name.",
  },
  unidentified: {
    status: 403,
    title: "Who are you?",
    text: "This question may only be answered by the person who was asked, and this server cannot identify you.",
  },
  crossSite: {
    status: 403,
    title: "Sent from another page",
    text: "An answer is accepted only from the page of its question.",
  },
  wrongHost: {
    status: 403,
    title: "Unknown host name",
    text: "The host name in the address is not a name of this server.",
  },
  outdatedForm: {
    status: 403,
    title: "That page was out of date",
    text: "Nothing was sent. Answer on the page as it is now.",
    retry: true,
  },
  unknown: {
    status: 404,
    title: "There is no such question",
    text: "The address is not right, or the question was closed long ago.",
  },
  wrongMethod: {
    status: 405,
    title: "Method not allowed",
    text: "A page accepts GET, HEAD and POST.",
    headers: { allow: "GET, HEAD, POST" },
  },
  tooSlow: {
    status: 408,
    title: "That took too long",
    text: "Nothing was sent.",
    headers: { connection: "close" },
    retry: true,
  },
  tooLarge: {
    status: 413,
    title: "That was too large",
    text: "The answer is larger than the page accepts. Nothing was sent.",
    retry: true,
  },
  notForm: {
    status: 415,
    title: "That was not understood",
    text: "An answer is sent by the form on the page, uncompressed. Nothing was sent.",
    retry: true,
  },
  tooMany: {
    status: 429,
    title: "Too many attempts",
    text: "Wait a minute, and try again.",
    headers: { "retry-after": "60" },
  },
  failed: { status: 500, title: "Something went wrong", text: "Nothing was sent. Try again." },
} as const;

interface Notice extends Omit<PageResponse, "main"> {
  readonly text: string;
  readonly retry?: boolean;
}

export const notice = (name: keyof typeof NOTICES): PageResponse => noticePage(NOTICES[name]);

function noticePage({ text, retry = false, ...page }: Notice): PageResponse {
  const main = html`<h1>${page.title}</h1>
    <p>${text}</p>`;
  const back = html`<p><a href="">Back to the question</a></p>`;
  return { ...page, main: retry ? html`${main}${back}` : main };
}

/** How the question of a page ended. */
export type Ending = "answered" | "declined" | "expired" | "closed";

const ENDINGS: Readonly<Record<Ending, string>> = {
  answered: "It has been answered already. Nothing more was sent.",
  declined: "It has been declined. Nothing more was sent.",
  expired: "The time for it is over. Nothing was sent.",
  closed: "The tool no longer waits for an answer. Nothing was sent.",
};

/** The page of a question that has ended. */
export const endedPage = (ending: Ending): PageResponse =>
  noticePage({ status: 410, title: "This question is closed", text: ENDINGS[ending] });

const ENTRY_TITLE = "A question is waiting for you";

/** The page before the question, which no browser has claimed yet. It reveals nothing. */
export function entryPage(): PageResponse {
  const main = html`<h1>${ENTRY_TITLE}</h1>
    <p>You open it in this browser. From then on, it can be seen and answered in no other.</p>
    <form method="post">
      <div class="buttons"><button name="do" value="open">Continue</button></div>
    </form>`;
  return { status: 200, title: ENTRY_TITLE, main };
}

/** A warning on pages over plain HTTP. */
export const UNENCRYPTED: Html = html`<p class="caution">
  This page came over a connection that is not encrypted. Others on the network can read what you send.
</p>`;

/** The same page for users who must sign in with an access token. */
export function signInPage(isUnencrypted: boolean, problem?: string): PageResponse {
  const input = attributes({
    id: "access",
    name: "access",
    type: "password",
    required: true,
    ...NO_AUTOFILL,
    "aria-describedby": problem === undefined ? "why" : "why wrong",
    "aria-invalid": problem === undefined ? undefined : "true",
  });
  const main = html`${isUnencrypted && UNENCRYPTED}<h1>${ENTRY_TITLE}</h1>
<p id="why">It may only be answered by the person who was asked. Your access token tells that it is you.</p>
<form method="post" autocomplete="off" novalidate><div class="field"><label for="access">Access token</label>
${problem !== undefined && html`<p class="problem" id="wrong" role="alert">${problem}</p>`}<input${input}></div>
<div class="buttons"><button name="do" value="sign-in">Continue</button></div></form>`;
  return { status: problem === undefined ? 200 : 403, title: ENTRY_TITLE, main };
}

/** Redirects to the page itself, so that a reload does not send the form again. */
export function redirectPage(token: string, cookie?: string): PageResponse {
  const headers = { location: token, ...(cookie === undefined ? {} : { "set-cookie": cookie }) };
  return noticePage({ status: 303, title: "Go on", text: "The question is at the same address.", headers });
}
