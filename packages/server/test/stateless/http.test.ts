/** HTTP in 2026-07-28: one address, POST only, and the errors for every other request. */
import { request as httpRequest } from "node:http";
import { once } from "node:events";
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { overConnection, overStatelessHttp, overSse, present } from "../../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import {
  type Headers,
  META,
  MODERN,
  StatelessClient,
  accepted,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";

const meta: Fields = { [META.version]: MODERN, [META.capabilities]: {} };
const list: Message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } };
const plain: Headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": MODERN,
};

async function post(
  url: string,
  body: unknown,
  headers: Headers = plain,
): Promise<{ readonly status: number; readonly text: string; readonly headers: globalThis.Headers }> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: present(headers),
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

describe("a POST", () => {
  it.each(["notifications/cancelled", "notifications/initialized", "notifications/whatever"])(
    verifies("C5", "of the notification %s is taken with 202 and no body, with or without Mcp-Method"),
    async (method) => {
      const { url } = await listening({ tools: [echo] });
      const notification = { jsonrpc: "2.0", method, params: { requestId: "nothing", _meta: meta } };

      for (const headers of [plain, { ...plain, "mcp-method": method }]) {
        const { status, text } = await post(url, notification, headers);
        expect({ status, text }).toEqual({ status: 202, text: "" });
      }
      const bare = await post(url, { jsonrpc: "2.0", method });
      expect(bare).toMatchObject({ status: 202, text: "" });
    },
  );

  it.each([
    ["a batch", [list, list]],
    ["an empty batch", []],
    ["a text", "list"],
    ["nothing", null],
    ["a message without a version of JSON-RPC", { ...list, jsonrpc: undefined }],
    ["a message whose id is null", { ...list, id: null }],
    ["a message whose id is half of something", { ...list, id: 1.5 }],
    ["a message whose params are a list", { ...list, params: [] }],
    ["a message without a method", { jsonrpc: "2.0", id: 1, params: { _meta: meta } }],
  ])(verifies("C5", "of %s is 400 with an error that nothing runs for"), async (_, body) => {
    const { url } = await listening({ tools: [echo] });

    const { status, text } = await post(url, JSON.stringify(body));

    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    expect(text).not.toContain('"id":null');
  });

  it("of what is no message is answered under its id, where it has one", async () => {
    const { url } = await listening({ tools: [echo] });

    const { status, text } = await post(url, { ...list, id: "mine", jsonrpc: "1.0" });

    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ id: "mine", error: { code: -32600 } });
  });

  it("of what is no JSON is 400 and -32700", async () => {
    const { url } = await listening({ tools: [echo] });

    const { status, text } = await post(url, '{"jsonrpc":');

    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32700 } });
  });

  it.each(["*/*", "application/json, text/*", "*/*;q=0.8"])(
    verifies("C5", "that accepts %s is answered"),
    async (accept) => {
      const { url } = await listening({ tools: [echo] });

      const { status } = await post(url, list, { ...plain, "mcp-method": "tools/list", accept });

      expect(status).toBe(200);
    },
  );

  it.each(["application/json", "text/event-stream", "text/html"])(
    verifies("C5", "that accepts %s is 406: it must be ready for both"),
    async (accept) => {
      const { url } = await listening({ tools: [echo] });

      const { status } = await post(url, list, { ...plain, "mcp-method": "tools/list", accept });

      expect(status).toBe(406);
    },
  );

  it(verifies("C5", "needs no session, and is given none: what is said of one is ignored"), async () => {
    const { server, url } = await listening({ tools: [greet] });
    const client = new StatelessClient(
      overStatelessHttp(url, { "mcp-session-id": "made-up", "last-event-id": "1.5" }),
    );

    const asked = await client.call("greet");
    const done = await client.retry(asked, accepted({ "ask-1": "Ada" }));

    expect(textOf(done.answer)).toBe("Hello, Ada");
    expect(done.headers).not.toHaveProperty("mcp-session-id");
    expect(server.sessions).toBe(0);
  });

  it(
    verifies("C5", "without a claim in its body, but of a revision that no session has, is no session's"),
    async () => {
      const { url } = await listening({ tools: [echo] });

      for (const version of [MODERN, "2099-12-31"]) {
        const { status, text } = await post(
          url,
          { jsonrpc: "2.0", id: 4, method: "tools/list" },
          { ...plain, "mcp-protocol-version": version, "mcp-method": "tools/list" },
        );
        expect(status).toBe(400);
        expect(JSON.parse(text)).toMatchObject({ id: 4, error: { code: -32602 } });
      }
    },
  );
});

describe.each(["GET", "DELETE"])("a %s", (method) => {
  it(verifies("C5", "is 405 to a client of 2026-07-28, whatever it says of sessions"), async () => {
    const { url } = await listening({ tools: [echo] });

    for (const more of [{}, { "last-event-id": "1.5" }]) {
      const { status, headers } = await fetch(`${url}/mcp`, {
        method,
        headers: { accept: "text/event-stream", "mcp-protocol-version": MODERN, ...more },
      });
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe("POST");
    }
  });

  it("is about a session to everybody else", async () => {
    const { url } = await listening({ tools: [echo] });

    const { status } = await fetch(`${url}/mcp`, { method, headers: { accept: "text/event-stream" } });

    expect(status).toBe(400);
  });
});

describe("a request of 2026-07-28 on the transport of 2024-11-05", () => {
  it(verifies("C5", "is not served: only sessions are spoken there"), async () => {
    let begun = 0;
    const counted = tool({
      name: "counted",
      async *run() {
        begun += 1;
        return "done";
      },
    });
    const { url } = await listening({ tools: [counted] });
    const client = new StatelessClient(overConnection(await overSse(url)));

    const called = await client.call("counted");
    const discovered = await client.request("server/discover");

    expect(called.answer.error?.code).toBe(-32600);
    expect(discovered.answer.error?.code).toBe(-32600);
    expect(begun).toBe(0);
  });
});

describe("a server that speaks nothing newer than 2025-11-25", () => {
  it("refuses requests that stand alone, over HTTP and on a line", async () => {
    const { url, client } = await serveStateless({ tools: [echo], maxRevision: "2025-11-25" });

    const received = await client.call("echo");

    expect(received.status).toBe(400);
    expect(received.answer.error?.message).toContain("This server does not support the revision 2026-07-28");
    expect(url).toBeDefined();
  });
});

describe("a message that comes in pieces", () => {
  it("is read whole", async () => {
    const { url } = await listening({ tools: [echo] });
    const request = httpRequest(`${url}/mcp`, {
      method: "POST",
      headers: present({ ...plain, "mcp-method": "tools/list" }),
    });
    const text = JSON.stringify(list);
    for (const character of text) request.write(character);
    request.end();

    const [response] = (await once(request, "response")) as [{ readonly statusCode: number }];

    expect(response.statusCode).toBe(200);
    request.destroy();
  });
});
