/** A server of nothing but pages, on a port of its own, until the test is over. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock, type Yieldable, type Ask, type Clock } from "@photon/core";
import { onTestFinished } from "vitest";
import { OriginGuard } from "../../src/http/origin-guard.ts";
import { PageRegistry } from "../../src/pages/page-registry.ts";
import type { Page, UserIdentification } from "../../src/pages/page.ts";
import type { OpenAsk } from "../../src/protocol/elicitation.ts";
import { defaultLimits, type Limits } from "../../src/limits.ts";

export interface TestServer {
  readonly pages: PageRegistry;
  readonly url: string;
  readonly server: Server;
  /** What went wrong inside, and was nobody's answer. */
  readonly reported: unknown[];
  /** Opens a page for a question, as the tool `book` of `acme` asks it of `ada`. */
  readonly open: (ask: Yieldable<Ask, unknown>, more?: Partial<OpenAsk>) => Promise<Page>;
}

export interface Staging extends UserIdentification {
  /** The base URL of the pages. */
  readonly base?: string;
  readonly clock?: Clock;
  readonly limits?: Partial<Limits>;
}

export async function stage({
  clock = systemClock,
  limits = {},
  base,
  ...identification
}: Staging = {}): Promise<TestServer> {
  const reported: unknown[] = [];
  const guard = new OriginGuard({ allowedHosts: ["photon.example.com"] });
  const server = createServer((request, response) => {
    if (guard.rejectionFor(request) === undefined) void pages.handle(request, response);
    else response.writeHead(403).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // It listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    clock,
    report: (error: unknown) => void reported.push(error),
    limits: { ...defaultLimits, ...limits },
  };
  const pages = new PageRegistry(settings, {
    base: () => new URL(base ?? url),
    identification: () => identification,
  });
  onTestFinished(async () => {
    await pages.close();
    server.close();
    server.closeAllConnections();
  });
  return {
    pages,
    url,
    server,
    reported,
    open: (ask, more = {}) =>
      pages.open({ question: questionOf(ask, more), server: "acme", tool: "book", principal: "ada" }),
  };
}

/** A question as a host is given it. */
export function questionOf(ask: Yieldable<Ask, unknown>, more: Partial<OpenAsk> = {}): OpenAsk {
  return Object.assign({}, ask, { key: "ask-1", attempt: 1 }, more);
}
