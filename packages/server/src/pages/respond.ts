/** Sends the response of a page, with its security headers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { html, Html } from "./html.ts";
import { STYLE, STYLE_SOURCE } from "./style.ts";

/** A page to send. */
export interface PageResponse {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once it was sent, or the connection is closed. */
  readonly onFlushed?: () => void;
}

const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  // No URL of a page leaves it. Not "no-referrer", which also removes the Origin of forms, by which they are recognised.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
};

export function respond(request: IncomingMessage, response: ServerResponse, shown: PageResponse): void {
  const { status, headers = {}, onFlushed: onSent } = shown;
  if (onSent !== undefined) once(response, onSent);
  if (response.headersSent || response.destroyed) return void response.destroy();
  const text = documentOf(shown);
  response.writeHead(status, { ...HEADERS, "content-length": Buffer.byteLength(text), ...headers });
  response.end(request.method === "HEAD" ? undefined : text);
}

function once(response: ServerResponse, callback: () => void): void {
  let isDone = false;
  const done = (): void => {
    if (!isDone) callback();
    isDone = true;
  };
  // A user who closes the browser has answered all the same.
  response.once("finish", done).once("close", done);
  if (response.destroyed) done();
}

// Exactly the text whose hash the policy allows.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

function documentOf({ title, main }: PageResponse): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>${main}</main>
      </body>
    </html> `;
  return page.text;
}
