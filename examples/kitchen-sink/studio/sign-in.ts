/**
 * The record label's sign-in page, which stands for an OAuth authorization page: it names the artist, and has a button.
 *
 * It is served on loopback while the question is open, as native apps do to receive an authorization response (RFC 8252).
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface SignIn {
  /** The address of the page. */
  readonly url: string;
  /** The artist, once the user has pressed the button. */
  readonly allowedBy: string | undefined;
  close(): void;
}

/** Serves the page. Its address contains a random state, which authorizes the request. */
export async function openSignIn(artist: string): Promise<SignIn> {
  const state = randomBytes(16).toString("hex");
  let allowedBy: string | undefined;
  const server = createServer((request, response) => {
    if (!hasState(request, state)) {
      response.writeHead(404).end();
      return;
    }
    if (request.method === "POST") allowedBy = artist;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    response.end(allowedBy === undefined ? questionFor(artist) : "<p>Done. Go back to the studio.</p>");
  });
  // The page does not keep the process alive.
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  // The address of a server that listens on a port is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/authorize?state=${state}`,
    get allowedBy() {
      return allowedBy;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function hasState({ url = "", headers }: IncomingMessage, state: string): boolean {
  const { pathname, searchParams } = new URL(url, `http://${headers.host ?? "127.0.0.1"}`);
  const given = Buffer.from(searchParams.get("state") ?? "");
  const expected = Buffer.from(state);
  return pathname === "/authorize" && given.length === expected.length && timingSafeEqual(given, expected);
}

const questionFor = (artist: string): string =>
  `<form method="post"><p>May the studio publish as ${escaped(artist)}?</p><button>Allow</button></form>`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
