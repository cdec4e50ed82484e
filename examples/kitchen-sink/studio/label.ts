/**
 * The label's sign-in, as it would be at a web site: a page that says who wants what, and a button.
 *
 * It is served on loopback while somebody is asked to go there, which is also how programs on one's own machine receive
 * what an authorization server has to say to them.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface SignIn {
  /** Where the person is sent. */
  readonly url: string;
  /** Who has allowed it, if somebody has. */
  readonly allowedBy: string | undefined;
  close(): void;
}

/** Opens the page. Whoever has its address may press the button; nobody else knows it. */
export async function openSignIn(artist: string): Promise<SignIn> {
  const state = randomBytes(16).toString("hex");
  let allowedBy: string | undefined;
  const server = createServer((request, response) => {
    if (!knows(request, state)) {
      response.writeHead(404).end();
      return;
    }
    if (request.method === "POST") allowedBy = artist;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    response.end(allowedBy === undefined ? questionFor(artist) : "<p>Done. Go back to the studio.</p>");
  });
  // A page that nobody comes to must not keep the studio open.
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  // A server that listens on a port has an address with that port.
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

function knows({ url = "", headers }: IncomingMessage, state: string): boolean {
  const { pathname, searchParams } = new URL(url, `http://${headers.host ?? "127.0.0.1"}`);
  const given = Buffer.from(searchParams.get("state") ?? "");
  const known = Buffer.from(state);
  return pathname === "/authorize" && given.length === known.length && timingSafeEqual(given, known);
}

const questionFor = (artist: string): string =>
  `<form method="post"><p>May the studio publish as ${escaped(artist)}?</p><button>Allow</button></form>`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
