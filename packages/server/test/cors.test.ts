import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type HttpOptions } from "../src/index.ts";
import { listening } from "./wire/servers.ts";
import { ELICITATION } from "../../../test/clients/raw-client.ts";
import { echo } from "./wire/tools.ts";

const LISTED = "https://app.example";
const BOTH = "application/json, text/event-stream";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: ELICITATION,
    clientInfo: { name: "page", version: "1" },
  },
});

async function serving(options: HttpOptions = {}): Promise<string> {
  const { url } = await listening({ tools: [echo], allowedOrigins: [LISTED] }, options);
  return url;
}

/** What a page of an origin would send to begin a session. */
function begin(url: string, origin?: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: BOTH,
      ...(origin === undefined ? {} : { origin }),
      ...headers,
    },
    body: initialize,
  });
}

/** What a browser asks before it sends what a page would like to send. */
function preflight(url: string, origin: string, headers = "content-type"): Promise<Response> {
  return fetch(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": headers,
    },
  });
}

/** The headers of an answer that say what a page of another origin may do. */
function sharingIn({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe("a page of an origin that is let in", () => {
  it.each([LISTED, "http://localhost:5173", "http://127.0.0.1", "https://[::1]:8443"])(
    "reads what it is answered, and the session it is in: %s",
    async (origin) => {
      const answer = await begin(await serving(), origin);

      expect(answer.status).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-expose-headers")).toBe(
        "Mcp-Session-Id, MCP-Protocol-Version",
      );
      expect(answer.headers.get("vary")).toBe("Origin");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("mcp-session-id")).not.toBeNull();
    },
  );

  it("reads streams and refusals as well", async () => {
    const url = await serving();
    const leaving = new AbortController();
    const get = (path: string, method = "GET"): Promise<Response> =>
      fetch(`${url}${path}`, { method, headers: { origin: LISTED }, signal: leaving.signal });

    const answers = [await get("/sse"), await get("/messages", "POST"), await get("/mcp")];
    leaving.abort();

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400]);
    for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBe(LISTED);
  });

  it.each([
    ["/mcp", "GET, POST, DELETE"],
    ["/sse", "GET"],
    ["/messages", "POST"],
  ])("is told beforehand what it may send to %s: %s", async (path, methods) => {
    const answer = await preflight(`${await serving()}${path}`, LISTED);

    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe("");
    expect(answer.headers.get("access-control-allow-origin")).toBe(LISTED);
    expect(answer.headers.get("access-control-allow-methods")).toBe(methods);
    expect(answer.headers.get("access-control-allow-headers")).toBe(
      "content-type, accept, authorization, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id",
    );
    expect(answer.headers.get("vary")).toBe("Origin, Access-Control-Request-Headers");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("may send the parameters of a tool in headers, and no others that it asks for", async () => {
    const asked = "content-type, Mcp-Param-City,mcp-param-x_1 , x-other, cookie, mcp-param-, mcp-param-a b";

    const answer = await preflight(`${await serving()}/mcp`, LISTED, asked);

    expect(answer.headers.get("access-control-allow-headers")).toMatch(
      / last-event-id, Mcp-Param-City, mcp-param-x_1$/,
    );
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", undefined])(
    "sends no message that its browser would not ask about first: %s",
    async (type) => {
      const { server, url } = await listening({ tools: [echo] });

      const answer = await fetch(`${url}/mcp`, {
        method: "POST",
        // Bytes bring no type of their own.
        body: new TextEncoder().encode(initialize),
        headers: { accept: BOTH, origin: "http://localhost:5173", ...(type && { "content-type": type }) },
      });

      expect(answer.status).toBe(415);
      expect(server.sessions).toBe(0);
    },
  );
});

it("a page of this machine needs a token where there are tokens", async () => {
  const origin = "http://localhost:9999";
  const url = await serving({ tokens: { somebody: "a-token-of-somebody-who-is-known" } });

  const answers = [
    await begin(url, origin),
    await begin(url, origin, { authorization: "Bearer a-token-of-somebody-who-is-known" }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([401, 200]);
});

describe("a page of an origin that is not let in", () => {
  it.each(["https://evil.example", "null", "http://localhost.evil.example", `${LISTED}.evil.example`])(
    "is refused, and told nothing: %s",
    async (origin) => {
      const url = await serving();

      const answers = [await begin(url, origin), await preflight(`${url}/mcp`, origin)];

      expect(answers.map(({ status }) => status)).toEqual([403, 403]);
      expect(answers.flatMap(sharingIn)).toEqual([]);
    },
  );

  it("reads nothing where it is only at another port of an allowed host", async () => {
    const url = await serving({ allowedHosts: ["photon.example"] });

    const answer = await begin(url, "http://photon.example:8080");
    const asked = await preflight(`${url}/mcp`, "http://photon.example:8080");

    expect(answer.status).toBe(200);
    expect(asked.status).toBe(405);
    expect([...sharingIn(answer), ...sharingIn(asked)]).toEqual([]);
  });
});

describe("what is shared with other origins", () => {
  async function mounted(app: Express, after: Express = express()): Promise<string> {
    const photon = createServer({ tools: [echo], allowedOrigins: [LISTED] });
    const { router } = await photon.router();
    const http = createHttpServer(app.use(router).use(after)).listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(async () => {
      await photon.close();
      http.closeAllConnections();
      http.close();
    });
    // It listens on a port.
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  it("is said to differ by origin, also to whoever is no page", async () => {
    const answer = await begin(await serving());

    expect(answer.headers.get("vary")).toBe("Origin");
    expect(sharingIn(answer)).toEqual([]);
  });

  it("is nothing but the ways in: no path that is not served, and no page of the app around them", async () => {
    const own = express().get("/own", (_, response) => void response.send("mine"));
    const app = await mounted(express(), own);
    const only = await serving({ transports: ["http"] });

    const answers = [
      await fetch(`${app}/own`, { headers: { origin: LISTED } }),
      await fetch(`${app}/healthz`, { headers: { origin: LISTED } }),
      await preflight(`${only}/sse`, LISTED),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(answers.flatMap(sharingIn)).toEqual([]);
    expect(answers[0]?.headers.get("vary")).toBeNull();
  });

  it("is left to an app that has said itself who may read", async () => {
    const url = await mounted(
      express().use((_, response, next) => {
        response.setHeader("access-control-allow-origin", "https://its.example");
        response.setHeader("vary", "Accept-Encoding");
        next();
      }),
    );

    const answer = await begin(url, LISTED);

    expect(answer.headers.get("access-control-allow-origin")).toBe("https://its.example");
    expect(answer.headers.get("vary")).toBe("Accept-Encoding, Origin");
  });

  it("is never what a cookie would let a page see, whatever the app allows its own pages", async () => {
    const url = await mounted(
      express().use((_, response, next) => {
        response.setHeader("access-control-allow-credentials", "true");
        next();
      }),
    );

    const answer = await begin(url, LISTED);

    expect(answer.headers.get("access-control-allow-origin")).toBe(LISTED);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
