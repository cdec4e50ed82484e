/** One principal that opens as many sessions and requests as it may: the others still have theirs. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { ServerOptions } from "../../src/index.ts";
import { bearer, discover, initialize, modernHeaders, post, send, tokens } from "../auth/callers.ts";
import { Gate } from "../wire/gate.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { StatelessClient, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { echo } from "../wire/tools.ts";

const OVER_LIMIT = -31001;
const [ada, eve] = [bearer(tokens.ada), bearer(tokens.eve)];
const options: ServerOptions = { tools: [echo], tokens, limits: { sessions: 3, sessionsPerPrincipal: 2 } };

/** How many sessions a principal gets of so many that it asks for, and what it is told of the last. */
async function crowd(
  url: string,
  many: number,
  headers: { readonly [name: string]: string },
): Promise<{
  readonly open: number;
  readonly last: { readonly status: number | undefined; readonly text: string };
}> {
  let open = 0;
  let last = { status: undefined as number | undefined, text: "" };
  for (let count = 0; count < many; count++) {
    const answer = await post(`${url}/mcp`, initialize, headers);
    last = { status: answer.status, text: await answer.body() };
    if (answer.status === 200) open += 1;
  }
  return { open, last };
}

async function upgradeStatus(url: string, headers: { readonly [name: string]: string }): Promise<number> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
  });
}

describe("one principal that opens as many sessions as it can", () => {
  it("is refused its next with 429 and a sentence, over each transport; another principal is let in", async () => {
    const { server, url } = await listening(options);

    const { open, last } = await crowd(url, 10, ada);

    expect(open).toBe(2);
    expect(last.status).toBe(429);
    expect(JSON.parse(last.text)).toMatchObject({
      error: {
        code: OVER_LIMIT,
        message: "You have reached your limit of sessions (2); end one of them first.",
      },
    });
    const sse = await send(`${url}/sse`, "GET", { ...ada, accept: "text/event-stream" });
    expect([sse.status, sse.headers["retry-after"]]).toEqual([429, "10"]);
    expect(await upgradeStatus(url, ada)).toBe(429);
    expect((await post(`${url}/mcp`, initialize, eve)).status).toBe(200);
    // The total holds, too.
    expect((await post(`${url}/mcp`, initialize, eve)).status).toBe(503);
    expect(server.sessions).toBe(3);
  });

  it("is let in again once one of its sessions has ended", async () => {
    const { url } = await listening(options);
    const first = await post(`${url}/mcp`, initialize, ada);
    await crowd(url, 3, ada);

    const session = { "mcp-session-id": String(first.headers["mcp-session-id"]) };
    await send(`${url}/mcp`, "DELETE", { ...ada, ...session });

    expect((await post(`${url}/mcp`, initialize, ada)).status).toBe(200);
    expect((await post(`${url}/mcp`, initialize, ada)).status).toBe(429);
  });

  it("is known by its address where there are no principals", async () => {
    const { url } = await listening({ ...options, tokens: undefined });
    const from = async (localAddress: string): Promise<number | undefined> => {
      const request = httpRequest(`${url}/mcp`, {
        method: "POST",
        localAddress,
        agent: false,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      });
      request.end(JSON.stringify(initialize));
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };

    const statuses = [await from("127.0.0.1"), await from("127.0.0.1"), await from("127.0.0.1")];

    expect(statuses).toEqual([200, 200, 429]);
    expect(await from("127.0.0.2")).toBe(200);
  });
});

describe("one principal that has as many requests answered as it can", () => {
  it("is refused its next, but for a discovery; another principal is answered", async () => {
    const gate = new Gate();
    const waiting = tool({
      name: "waiting",
      async *run(_, { signal }) {
        await gate.passed(signal);
        return "done";
      },
    });
    const limits = { statelessRequests: 3, statelessRequestsPerPrincipal: 2 };
    const { url } = await listening({ tools: [echo, waiting], tokens, limits });
    const one = new StatelessClient(overStatelessHttp(url, ada));
    const other = new StatelessClient(overStatelessHttp(url, eve));
    const calls = [1, 2].map(() => one.begin("tools/call", callOf("waiting")));
    await gate.reached;
    const listener = other.begin("subscriptions/listen", { notifications: {} });
    await listener.messages.next();
    await listener.leave();

    const refused = await one.call("echo", { text: "in" });

    expect(refused.answer.error).toEqual({
      code: OVER_LIMIT,
      message: "You have reached your limit of requests being answered (2); wait for one to end.",
    });
    expect((await post(`${url}/mcp`, discover, { ...ada, ...modernHeaders })).status).toBe(200);
    expect(textOf((await other.call("echo", { text: "in" })).answer)).toBe("in");
    gate.open();
    await Promise.all(calls.map(({ received }) => received));
    expect(textOf((await one.call("echo", { text: "in" })).answer)).toBe("in");
  });
});
