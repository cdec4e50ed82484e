/** Authentication by bearer tokens and by the program's own hook, on every transport. */
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidDefinition } from "@photon/core";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createServer, type ServerOptions } from "../../src/index.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { StatelessClient, textOf } from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";
import { bearer, discover, initialize, modernHeaders, post, send, tokens, type Got } from "./callers.ts";

/** Asks for a socket; gives the status and headers of whoever refuses. */
async function upgrade(
  url: string,
  headers: { readonly [name: string]: string } = {},
): Promise<{ readonly status: number | undefined; readonly challenge: string | undefined }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers });
  socket.on("error", () => {});
  onTestFinished(() => socket.terminate());
  const opened = once(socket, "open").then(() => ({ status: 101, challenge: undefined }));
  const refused = once(socket, "unexpected-response").then((given) => {
    const [, response] = given as [unknown, IncomingMessage];
    return { status: response.statusCode, challenge: response.headers["www-authenticate"] };
  });
  return Promise.race([opened, refused]);
}

type Headers = { readonly [name: string]: string };
const ways: { readonly [name: string]: (url: string, headers?: Headers) => Promise<Got> } = {
  "/mcp, for a session": (url, headers) => post(`${url}/mcp`, initialize, headers),
  "/mcp, for a request that stands alone": (url, headers) =>
    post(`${url}/mcp`, discover, { ...modernHeaders, ...headers }),
  "/mcp, for a stream": (url, headers) =>
    send(`${url}/mcp`, "GET", { accept: "text/event-stream", ...headers }),
  "/mcp, to end a session": (url, headers) => send(`${url}/mcp`, "DELETE", { ...headers }),
  "/sse": (url, headers) => send(`${url}/sse`, "GET", { ...headers }),
  "/messages": (url, headers) => post(`${url}/messages?sessionId=x`, initialize, headers),
};

const hook: ServerOptions = {
  authenticate: ({ headers }) =>
    headers.authorization === bearer(tokens.ada).authorization ? "ada" : undefined,
};

describe.each<[string, ServerOptions]>([
  ["tokens", { tokens }],
  ["a hook", hook],
])("with %s", (_, options) => {
  it.each(Object.entries(ways))(
    "nobody unknown comes in by %s: 401, and how to say who you are",
    async (__, come) => {
      const { url } = await listening({ tools: [echo], ...options });

      const wrong = [
        await come(url),
        await come(url, bearer("not-a-token-of-anybody")),
        await come(url, { authorization: tokens.ada }),
      ];

      expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401]);
      expect(wrong.map(({ headers }) => headers["www-authenticate"])).toEqual(["Bearer", "Bearer", "Bearer"]);
    },
  );

  it.each(Object.entries(ways))("whoever is known is let in by %s", async (__, come) => {
    const { url } = await listening({ tools: [echo], ...options });

    expect((await come(url, bearer(tokens.ada))).status).not.toBe(401);
  });

  it("a socket is for those who are known", async () => {
    const { url } = await listening({ tools: [echo], ...options });

    expect(await upgrade(url)).toEqual({ status: 401, challenge: "Bearer" });
    expect(await upgrade(url, bearer("not-a-token-of-anybody"))).toEqual({
      status: 401,
      challenge: "Bearer",
    });
    expect((await upgrade(url, bearer(tokens.ada))).status).toBe(101);
  });

  it("how the server is may be asked by anybody", async () => {
    const { url } = await listening({ tools: [echo], ...options });

    expect((await send(`${url}/healthz`, "GET", {})).status).toBe(200);
  });
});

describe("a hook beside tokens", () => {
  it("is asked first, and tokens where it knows nobody", async () => {
    const authenticate = ({ headers }: IncomingMessage): string | undefined =>
      headers["x-user"] === "bob" ? "bob" : undefined;
    const { url } = await listening({ tools: [echo], tokens, authenticate });

    const statuses = [
      await post(`${url}/mcp`, initialize, { "x-user": "bob" }),
      await post(`${url}/mcp`, initialize, bearer(tokens.ada)),
      await post(`${url}/mcp`, initialize),
    ].map(({ status }) => status);

    expect(statuses).toEqual([200, 200, 401]);
  });

  it("that fails lets nobody in, and is reported", async () => {
    const reported: unknown[] = [];
    const { url } = await listening({
      tools: [echo],
      report: (error) => void reported.push(error),
      authenticate: () => {
        throw new Error("The directory is down.");
      },
    });

    expect((await post(`${url}/mcp`, initialize)).status).toBe(500);
    expect((await upgrade(url)).status).toBe(500);
    expect(reported.map(String)).toEqual(["Error: The directory is down.", "Error: The directory is down."]);
  });
});

describe("tokens", () => {
  it.each([
    ["short", { ada: "too-short" }],
    ["nobody's", { "": "the-token-of-nobody-at-all" }],
    ["no header can hold", { ada: "the token of ada lovelace" }],
    ["no header can hold, either", { ada: "the-token-of-ada-löwelace" }],
  ])("that are %s are refused when the server is made", (_, wrong) => {
    expect(() => createServer({ tokens: wrong })).toThrow(InvalidDefinition);
    expect(() => createServer({ tokens: wrong })).not.toThrow(/löwelace|too-short|nobody-at-all|of ada/);
  });

  it("that two names share are refused", () => {
    expect(() => createServer({ tokens: { ada: tokens.ada, bob: tokens.ada } })).toThrow(InvalidDefinition);
  });
});

describe("what belongs to somebody", () => {
  it("is not there for others: the session of a known id is 404 to them", async () => {
    const { url } = await listening({ tools: [echo], tokens });
    const begun = await post(`${url}/mcp`, initialize, bearer(tokens.ada));
    const session = {
      "mcp-session-id": String(begun.headers["mcp-session-id"]),
      "mcp-protocol-version": "2025-11-25",
    };
    const ping = { jsonrpc: "2.0", id: 2, method: "ping" };

    const stolen = [
      await post(`${url}/mcp`, ping, { ...session, ...bearer(tokens.eve) }),
      await send(`${url}/mcp`, "GET", { accept: "text/event-stream", ...session, ...bearer(tokens.eve) }),
      await send(`${url}/mcp`, "DELETE", { ...session, ...bearer(tokens.eve) }),
    ];
    const own = await post(`${url}/mcp`, ping, { ...session, ...bearer(tokens.ada) });

    expect(stolen.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(own.status).toBe(200);
  });

  it("is not there for others: the stream of a known id is 404 to whoever else posts to it", async () => {
    const { url } = await listening({ tools: [echo], tokens });
    const stream = (await fetch(`${url}/sse`, { headers: bearer(tokens.ada) })).body?.getReader();
    onTestFinished(() => stream?.cancel());
    const { value } = (await stream?.read()) ?? {};
    const [, path = ""] = /data: (\S+)/.exec(Buffer.from(value ?? []).toString("utf8")) ?? [];

    const stolen = await post(`${url}${path}`, initialize, bearer(tokens.eve));
    const own = await post(`${url}${path}`, initialize, bearer(tokens.ada));

    expect({ stolen: stolen.status, own: own.status }).toEqual({ stolen: 404, own: 202 });
  });

  it("is not there for others: a state of a call is refused with the words of any bad state", async () => {
    const { url } = await listening({ tools: [greet], tokens });
    const as = (token: string): StatelessClient => new StatelessClient(overStatelessHttp(url, bearer(token)));
    const asked = await as(tokens.ada).call("greet");

    const stolen = await as(tokens.eve).accept(asked, { "ask-1": "Eve" });
    const done = await as(tokens.ada).accept(asked, { "ask-1": "Ada" });

    expect(stolen.answer.error).toEqual({ code: -32602, message: "Invalid or expired requestState." });
    expect(textOf(done.answer)).toBe("Hello, Ada");
  });
});

describe("a server behind an OAuth server", () => {
  const oauth = { authorizationServers: ["https://login.example.com"], scopes: ["tools"] };

  it("says where tokens are had, at both addresses and in its challenge", async () => {
    const { url } = await listening({ tools: [echo], ...hook, oauth });

    const metadata = await Promise.all(
      ["", "/mcp"].map(
        async (path) =>
          JSON.parse(
            await (await send(`${url}/.well-known/oauth-protected-resource${path}`, "GET", {})).body(),
          ) as unknown,
      ),
    );
    const refused = await post(`${url}/mcp`, initialize);

    const said = {
      resource: `${url}/mcp`,
      authorization_servers: oauth.authorizationServers,
      bearer_methods_supported: ["header"],
      scopes_supported: ["tools"],
    };
    expect(metadata).toEqual([said, said]);
    const challenge = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`;
    expect(refused.headers["www-authenticate"]).toBe(challenge);
    expect(await upgrade(url)).toEqual({ status: 401, challenge });
  });

  it("says it of its public address, where it has one", async () => {
    const { url } = await listening({
      tools: [echo],
      ...hook,
      oauth,
      publicUrl: "https://photon.example.com/tools/",
    });

    const { headers } = await post(`${url}/mcp`, initialize);

    expect(headers["www-authenticate"]).toBe(
      'Bearer resource_metadata="https://photon.example.com/tools/.well-known/oauth-protected-resource"',
    );
  });

  it("is no such server without being told so", async () => {
    const { url } = await listening({ tools: [echo], tokens });

    expect((await send(`${url}/.well-known/oauth-protected-resource`, "GET", {})).status).toBe(404);
  });

  it("is not made without a way to look at tokens: it would let everybody in", async () => {
    const sentence = "oauth tells clients where to get tokens, but checks none";

    expect(() => createServer({ oauth })).toThrow(InvalidDefinition);
    expect(() => createServer({ oauth })).toThrow(sentence);
    const server = createServer();
    onTestFinished(() => server.close());
    await expect(server.listen({ oauth })).rejects.toThrow(sentence);
    await expect(server.router({ oauth })).rejects.toThrow(sentence);
  });

  it("says it of the place where it is mounted", async () => {
    const server = createServer({ tools: [echo], ...hook, oauth });
    const { router, attach } = await server.router();
    const http = createHttpServer(express().use("/tools", router)).listen(0, "127.0.0.1");
    attach(http, "/tools/mcp");
    await once(http, "listening");
    onTestFinished(async () => {
      await server.close();
      http.close();
    });
    // It listens on a port.
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/tools`;

    const { headers } = await post(`${url}/mcp`, initialize);
    const challenge = String(headers["www-authenticate"]);
    const metadata = await send(challenge.replace(/^.*"(.*)"$/, "$1"), "GET", {});

    expect(JSON.parse(await metadata.body())).toMatchObject({ resource: `${url}/mcp` });
    expect(await upgrade(url)).toEqual({ status: 401, challenge });
  });
});

describe("a hook that throws", () => {
  const secret = "ldap://10.0.0.1: bind failed";

  it.each(Object.entries(ways))("is reported, and tells the client nothing (%s)", async (_, come) => {
    const reported: unknown[] = [];
    const { url } = await listening({
      report: (error) => void reported.push(error),
      authenticate() {
        throw Object.assign(new Error(secret), { status: 503, expose: true, type: "entity.parse.failed" });
      },
    });

    const got = await come(url);
    const body = await got.body();

    expect(got.status).toBe(500);
    expect(got.headers["content-type"]).toContain("application/json");
    expect(body).not.toContain("ldap");
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32603 } });
    expect(reported.map(String)).toEqual([`Error: ${secret}`]);
  });
});
