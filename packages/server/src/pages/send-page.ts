/** Sends a page as an HTML document, with security headers. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { finished } from "node:stream";
import { html, Html } from "./html.ts";
import { STYLE } from "./style.ts";

/** A page to send. */
export interface PageResponse {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the page was sent, or the connection is closed. */
  readonly onFlushed?: () => void;
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
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
  // The URL of a page is not sent to other sites. "no-referrer" would also remove the Origin of forms, which is checked.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
};

export function sendPage(response: ServerResponse, page: PageResponse): void {
  const { status, headers = {}, onFlushed } = page;
  // Also when the user has closed the browser: the answer counts.
  if (onFlushed !== undefined) finished(response, onFlushed);
  if (response.headersSent || response.destroyed) return void response.destroy();
  const text = documentOf(page);
  response.writeHead(status, { ...HEADERS, "content-length": Buffer.byteLength(text), ...headers });
  // Node leaves out the body of a response to HEAD.
  response.end(text);
}

// Exactly the text whose hash is in the policy.
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
