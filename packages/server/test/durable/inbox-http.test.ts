/** The inbox over HTTP: each principal's own, guarded as everything else is (row E6). */
import { randomBytes } from "node:crypto";
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { ServerOptions } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { Gate } from "../wire/gate.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { ELICITATION, StatelessClient } from "../../../../test/clients/raw-client.ts";

const TOKENS = { ada: "a".repeat(32), bob: "b".repeat(32) };
const EVIL = "https://evil.example";
const LISTED = "https://app.example";

const bearer = (who: keyof typeof TOKENS) => ({ authorization: `Bearer ${TOKENS[who]}` });

/** Asks for a name and whether to go on. */
const greet: Tool<never> = tool({
  name: "greet",
  durable: true,
  async *run() {
    const name = yield* ask.text("Name?", { id: "name", maxLength: 10 });
    return (yield* ask.confirm("Sure?", { id: "sure" })) ? `Hello ${name}` : "Nothing.";
  },
});

const login: Tool<never> = tool({
  name: "login",
  durable: true,
  async *run() {
    return String(yield* ask.secret("Password?", { id: "password" }));
  },
});

type Json = { readonly [name: string]: unknown };
interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

async function send(url: string, init: RequestInit = {}): Promise<Told> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Json),
  };
}

const post = (url: string, body: unknown, headers: Record<string, string> = bearer("ada")): Promise<Told> =>
  send(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const get = (url: string, headers: Record<string, string> = bearer("ada")): Promise<Told> =>
  send(url, { headers });

async function serving(more: ServerOptions = {}) {
  const { server, url } = await listening({
    tools: [greet, login],
    keys: [randomBytes(32).toString("base64")],
    store: memoryStore(),
    tokens: TOKENS,
    allowedOrigins: [LISTED],
    lease: "200ms",
    ...more,
  });
  const clientOf = (who: keyof typeof TOKENS) => new StatelessClient(overStatelessHttp(url, bearer(who)));
  return { server, url, inbox: `${url}/inbox`, clientOf };
}

/** A server on which Ada was asked for a name, and the address of what she was asked. */
async function asked(more?: ServerOptions) {
  const stage = await serving(more);
  const client = stage.clientOf("ada");
  const first = await client.call("greet");
  const { body } = await get(stage.inbox);
  const [{ run }] = body["runs"] as [{ readonly run: string }];
  return { ...stage, client, first, run, at: `${stage.inbox}/${run}` };
}

describe("the inbox over HTTP", () => {
  it(
    verifies("E6", "lists what somebody was asked, with a form to fill in, for nobody to keep"),
    async () => {
      const { inbox, run } = await asked();

      const { status, headers, body } = await get(inbox);

      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(body).toEqual({
        runs: [
          {
            run,
            tool: "greet",
            principal: "ada",
            since: expect.any(Number),
            questions: [
              expect.objectContaining({
                key: "name",
                ask: "text",
                message: "Name?",
                attempt: 1,
                expires: expect.any(Number),
                form: {
                  type: "object",
                  properties: { value: { type: "string", title: "Name?", maxLength: 10 } },
                  required: ["value"],
                },
              }),
            ],
          },
        ],
      });
    },
  );

  it(verifies("E6", "takes answers, and tells where the run stands, to its end"), async () => {
    const { server, at, run } = await asked();

    const answered = await post(at, { key: "name", action: "accept", value: "Ada", attempt: 1 });
    await server.inbox.wait(run);
    const open = await get(at);
    await post(at, { key: "sure", action: "accept", value: true });
    await server.inbox.wait(run);
    const ended = await get(at);

    expect(answered).toMatchObject({ status: 200, body: { run, key: "name", action: "accept" } });
    expect(open.body).toMatchObject({ run, questions: [{ key: "sure", ask: "confirm" }] });
    expect(ended.body).toMatchObject({
      run,
      tool: "greet",
      principal: "ada",
      result: { content: [{ text: "Hello Ada" }] },
    });
    expect(ended.headers.get("cache-control")).toBe("no-store");
  });

  it("takes a decline and a cancel as what they are", async () => {
    for (const action of ["decline", "cancel"]) {
      const { server, at, run } = await asked();

      expect((await post(at, { key: "name", action })).status).toBe(200);

      await server.inbox.wait(run);
      expect((await get(at)).body).toMatchObject({ result: { isError: true } });
    }
  });

  it("says of a run that works that nothing is asked of anybody", async () => {
    const gate = new Gate();
    const slow = tool({
      name: "greet",
      durable: true,
      async *run() {
        const name = yield* ask.text("Name?", { id: "name" });
        await gate.passed();
        return `Hello ${name}`;
      },
    });
    const { server, at, run } = await asked({ tools: [slow] });
    await post(at, { key: "name", action: "accept", value: "Ada" });

    const working = await get(at);
    gate.open();
    await server.inbox.wait(run);

    expect(working).toMatchObject({ status: 200, body: { run, questions: [] } });
    expect((await get(at)).body).toMatchObject({ result: { content: [{ text: "Hello Ada" }] } });
  });

  it("goes from page to page", async () => {
    const { inbox, clientOf } = await serving();
    const client = clientOf("ada");
    for (let count = 0; count < 3; count++) await client.call("greet");

    const runs: unknown[] = [];
    let query: string | undefined = "?limit=2";
    for (let count = 0; query !== undefined && count < 10; count++) {
      const { body } = await get(inbox + query);
      const page = body["runs"] as readonly { readonly run: string }[];
      expect(page.length).toBeLessThanOrEqual(2);
      runs.push(...page.map(({ run }) => run));
      const { next } = body;
      query = typeof next === "string" ? `?limit=2&after=${encodeURIComponent(next)}` : undefined;
    }

    expect(new Set(runs).size).toBe(3);
  });

  it("refuses pages that there are none of, and methods that mean nothing", async () => {
    const { inbox, at } = await asked();

    for (const query of [
      "limit=0",
      "limit=201",
      "limit=many",
      "limit=-1",
      "limit=1e2",
      "after=nowhere",
      "after=",
    ])
      expect(await get(`${inbox}?${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_PAGE" } },
      });
    expect(await post(inbox, {})).toMatchObject({
      status: 405,
      body: { error: { message: "This URL accepts GET." } },
    });
    const deleted = await send(at, { method: "DELETE", headers: bearer("ada") });
    expect(deleted.status).toBe(405);
    expect(deleted.headers.get("allow")).toBe("GET, POST");
  });

  it("knows no run by a name that is none, however it is spelled", async () => {
    const reported: unknown[] = [];
    const { inbox } = await serving({ report: (error) => void reported.push(error) });

    for (const name of ["%", "%00", "/[", "//[", "a/b", "__proto__", "x".repeat(5000)])
      expect(await get(`${inbox}/${name}`)).toMatchObject({
        status: 404,
        body: { error: { code: "NO_SUCH_RUN" } },
      });
    expect(reported).toEqual([]);
  });

  it("is not there without a store, and says so", async () => {
    const { url } = await listening({ tools: [greet] });

    for (const path of ["/inbox", "/inbox/some-run"])
      expect(await get(url + path)).toMatchObject({
        status: 404,
        body: { error: { code: "NO_INBOX", message: "There is no inbox here: this server has no store." } },
      });
  });

  it("is told of at /healthz, to whoever is known", async () => {
    const { url } = await serving();
    const { url: without } = await listening({ tools: [greet] });

    expect((await get(`${url}/healthz`)).body).toEqual({ status: "ok", inbox: true });
    expect((await get(`${url}/healthz`, {})).body).toEqual({ status: "ok" });
    expect((await get(`${without}/healthz`, {})).body).toEqual({ status: "ok" });
  });

  it("tells a client that wants details what the inbox calls its run", async () => {
    const { url, inbox } = await serving();
    const curious = { ...ELICITATION, extensions: { "photon/questions": {} } };
    const client = new StatelessClient(overStatelessHttp(url, bearer("ada")), curious);

    const { answer } = await client.call("greet");

    const { body } = await get(inbox);
    const [{ run }] = body["runs"] as [{ readonly run: string }];
    expect(answer.result).toMatchObject({ _meta: { "photon/run": run } });
  });
});

describe("an answer over HTTP", () => {
  it("that does not fit is told what is wrong, and nothing is written", async () => {
    const { at } = await asked();

    const unfit = await post(at, { key: "name", action: "accept", value: "much too long a name" });

    expect(unfit).toMatchObject({ status: 422, body: { error: { code: "INVALID_ANSWER" } } });
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name", attempt: 1 }] });
  });

  it(verifies("E6", "that comes second is told so, whoever was first"), async () => {
    const { at, client, first } = await asked();
    await client.accept(first, { name: "Ada" });

    const late = await post(at, { key: "name", action: "accept", value: "Bob" });

    expect(late).toMatchObject({ status: 409, body: { error: { code: "NOT_ANSWERED" } } });
  });

  it("to another attempt than the one that is open is none", async () => {
    const { at } = await asked();

    const early = await post(at, { key: "name", action: "accept", value: "Ada", attempt: 2 });

    expect(early).toMatchObject({ status: 409, body: { error: { code: "NOT_ANSWERED" } } });
  });

  it.each([
    ["no JSON", "{ key", 400],
    ["a list", [], 400],
    ["nothing", "null", 400],
    ["no key", { action: "accept", value: "Ada" }, 400],
    ["a key that is no text", { key: 1, action: "accept", value: "Ada" }, 400],
    ["no action", { key: "name", value: "Ada" }, 400],
    ["an action of its own", { key: "name", action: "timeout" }, 400],
    ["an attempt that is no number", { key: "name", action: "decline", attempt: "1" }, 400],
    ["a key that nobody asked by", { key: "__proto__", action: "decline" }, 409],
  ])("that has %s costs its sender an error, and nobody else anything", async (_, body, status) => {
    const { at } = await asked();

    const refused = await post(at, body);

    expect(refused).toMatchObject({ status, body: { error: { message: expect.any(String) } } });
    expect(refused.body["error"]).toHaveProperty("code");
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name" }] });
  });

  it("is JSON of a size, and says that it is", async () => {
    const { at } = await asked({ limits: { messageBytes: 1000 } });
    const body = { key: "name", action: "accept", value: "Ada" };

    const plain = await post(at, body, { ...bearer("ada"), "content-type": "text/plain" });
    const large = await post(at, { ...body, value: "x".repeat(2000) });

    expect(plain).toMatchObject({ status: 415, body: { error: { message: expect.any(String) } } });
    expect(large).toMatchObject({ status: 413, body: { error: { message: expect.any(String) } } });
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name" }] });
  });

  it("never carries a secret", async () => {
    const { inbox, clientOf } = await serving({ publicUrl: "http://127.0.0.1:9" });
    await clientOf("ada").call("login");
    const { body } = await get(inbox);
    const [{ run, questions }] = body["runs"] as [
      { readonly run: string; readonly questions: readonly Json[] },
    ];

    const refused = await post(`${inbox}/${run}`, { key: "password", action: "accept", value: "hunter2" });

    expect(questions[0]).not.toHaveProperty("form");
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain("it is answered only on a page of the server");
    expect(JSON.stringify(refused.body)).not.toContain("hunter2");
  });
});

describe("whoever was not asked", () => {
  it(verifies("E6", "sees and answers nothing, as if there were nothing"), async () => {
    const { inbox, at, run } = await asked();
    const elsewhere = `${inbox}/no-such-run`;

    expect((await get(inbox, bearer("bob"))).body).toEqual({ runs: [] });
    const [seen, unknown] = [await get(at, bearer("bob")), await get(elsewhere, bearer("bob"))];
    expect(seen).toMatchObject({ status: 404, body: { error: { code: "NO_SUCH_RUN" } } });
    expect(seen.body).toEqual(unknown.body);
    const answer = { key: "name", action: "accept", value: "Bob" };
    const refused = await post(at, answer, bearer("bob"));
    const nowhere = await post(elsewhere, answer, bearer("bob"));
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toBe(JSON.stringify(nowhere.body).replace("no-such-run", run));
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name" }] });
  });

  it("is not told the result either", async () => {
    const { server, at, run } = await asked();
    await post(at, { key: "name", action: "decline" });
    await server.inbox.wait(run);

    expect((await get(at)).status).toBe(200);
    expect((await get(at, bearer("bob"))).status).toBe(404);
  });

  it("and does not say who they are is asked to", async () => {
    const { inbox, at } = await asked();

    for (const told of [
      await get(inbox, {}),
      await get(at, {}),
      await post(at, { key: "name", action: "decline" }, {}),
    ]) {
      expect(told.status).toBe(401);
      expect(told.headers.get("www-authenticate")).toContain("Bearer");
    }
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name" }] });
  });

  it("and is a page of another site is refused, whatever it knows", async () => {
    const { inbox, at } = await asked();
    const evil = { ...bearer("ada"), origin: EVIL };

    for (const told of [
      await get(inbox, evil),
      await get(at, evil),
      await post(at, { key: "name", action: "decline" }, evil),
    ]) {
      expect(told.status).toBe(403);
      expect(told.headers.get("access-control-allow-origin")).toBeNull();
      expect(JSON.stringify(told.body)).not.toContain("Name?");
    }
    expect((await get(at)).body).toMatchObject({ questions: [{ key: "name" }] });
  });

  it("unless its origin is listed, which may read, and is told so before it sends", async () => {
    const { at } = await asked();

    const { headers } = await get(at, { ...bearer("ada"), origin: LISTED });
    const before = await fetch(at, {
      method: "OPTIONS",
      headers: { origin: LISTED, "access-control-request-method": "POST" },
    });

    expect(headers.get("access-control-allow-origin")).toBe(LISTED);
    expect(headers.get("vary")).toContain("Origin");
    expect(before.headers.get("access-control-allow-methods")).toBe("GET, POST");
  });
});
