/** Where a request for a page comes from: this machine, another one, or another site. Pure. */
import type { IncomingMessage } from "node:http";
import { isLoopback, isLoopbackName } from "../http/hosts.ts";
import { header } from "../http/responses.ts";

const FORWARDED: readonly string[] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** The base of the URLs of pages. */
export const baseUrlOf = (base: string): URL => new URL(base.replace(/\/*$/, "/"));

/** Whether a URL is on a loopback address. */
export const isOnLoopback = ({ hostname }: URL): boolean => isLoopbackName(hostname);

/** Whether a URL is plain HTTP to another machine, which others on the network can read. */
export const isPlainHttp = (url: URL): boolean => url.protocol === "http:" && !isOnLoopback(url);

/** Whether a request comes from a browser on this machine, without a proxy between. */
export function isLocalRequest(request: IncomingMessage, base: URL): boolean {
  if (!isOnLoopback(base)) return false;
  const { remoteAddress = "" } = request.socket;
  if (!isLoopback(remoteAddress.replace(/^::ffff:/i, ""))) return false;
  if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  const url = `http://${request.headers.host ?? ""}`;
  return URL.canParse(url) && isOnLoopback(new URL(url));
}

/** Whether a form was sent from a page of this server, by `Sec-Fetch-Site` and `Origin`. Only browsers send them, and no script can set them. */
export function isOwnForm(request: IncomingMessage, base: URL): boolean {
  const site = header(request, "sec-fetch-site");
  // "none": the user reloads a page that was the result of a form.
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  if (origin === undefined) return site !== undefined;
  if (origin === base.origin) return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  // The page was opened under another name of this machine.
  return (
    isOnLoopback(base) && isOnLoopback(from) && from.port === base.port && from.protocol === base.protocol
  );
}

/** Whether the browser may have withheld a `SameSite=Strict` cookie, because another site links here. */
export function mayWithholdCookies(request: IncomingMessage): boolean {
  const site = header(request, "sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

export function cookieIn(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [found = "", value = ""] = pair.split("=", 2);
    if (found.trim() === name) return value.trim();
  }
  return undefined;
}
