/** What a request says of where it comes from. Pure. */
import type { IncomingMessage } from "node:http";
import { isLoopback, isLoopbackName } from "../http/hosts.ts";
import { header } from "../http/responses.ts";

const FORWARDED: readonly string[] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** What the addresses of pages begin with. */
export const baseUrlOf = (base: string): URL => new URL(base.replace(/\/*$/, "/"));

/** Whether an address is one of the machine itself. */
export const isOnLoopback = ({ hostname }: URL): boolean => isLoopbackName(hostname);

/** Whether others on the way to an address can read what is sent there. */
export const isPlainHttp = (url: URL): boolean => url.protocol === "http:" && !isOnLoopback(url);

/** Whether whoever sent a request sits at this machine, where the page is, and nobody stands between. */
export function isLocalRequest(request: IncomingMessage, base: URL): boolean {
  if (!isOnLoopback(base)) return false;
  const { remoteAddress = "" } = request.socket;
  if (!isLoopback(remoteAddress.replace(/^::ffff:/i, ""))) return false;
  if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  const url = `http://${request.headers.host ?? ""}`;
  return URL.canParse(url) && isOnLoopback(new URL(url));
}

/**
 * Whether a form was sent by a page of ours. Browsers say where a form comes from, and no page can change what they say;
 * whoever says nothing is no browser.
 */
export function isOwnForm(request: IncomingMessage, base: URL): boolean {
  const site = header(request, "sec-fetch-site");
  // "none" is a person, who sends again what was sent before.
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  if (origin === undefined) return site !== undefined;
  if (origin === base.origin) return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  // Opened by another name of this machine.
  return (
    isOnLoopback(base) && isOnLoopback(from) && from.port === base.port && from.protocol === base.protocol
  );
}

/** Whether a browser may have kept a cookie back that it would send otherwise: where another site leads here. */
export function mayWithholdCookies(request: IncomingMessage): boolean {
  const site = header(request, "sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

/** A cookie of a request. */
export function cookieIn(request: IncomingMessage, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const [found = "", value = ""] = pair.split("=", 2);
    if (found.trim() === name) return value.trim();
  }
  return undefined;
}
