import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { testClock } from "@photon/core/testing";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { createServer, type ServerOptions } from "../src/index.ts";
import { transportContract } from "./transport-contract.ts";
import { listening, transports } from "./wire/servers.ts";
import { type StreamedEvent, overSse, readEvents } from "../../../test/clients/carriers.ts";
import { echo, greet } from "./wire/tools.ts";

const json = { "content-type": "application/json" };

describe("sse", () => {
  transportContract(transports.sse, { afterTooBig: "lives" });

  const listen = (options: ServerOptions = {}): ReturnType<typeof listening> =>
    listening({ tools: [echo, greet], ...options });

  it(verifies("C1", "names the address to post to in its first event"), async () => {
    const { url } = await listen();
    const stream = await fetch(`${url}/sse`);
    const first = await new Promise<StreamedEvent>((resolve) => {
      void readEvents(stream, resolve);
    });

    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.headers.get("cache-control")).toContain("no-cache");
    expect(first.event).toBe("endpoint");
    expect(first.data).toMatch(/^\/messages\?sessionId=[0-9a-f-]{36}$/);
  });

  it("gives an address that is right where the router is mounted under a prefix", async () => {
    const server = createServer({ tools: [echo] });
    const { router } = await server.router();
    const http = createHttpServer(express().use("/deep/photon", router)).listen(0, "127.0.0.1");
    onTestFinished(async () => {
      await server.close();
      http.closeAllConnections();
      http.close();
    });
    await once(http, "listening");
    // It listens on a port.
    const { port } = http.address() as AddressInfo;

    const client = await overSse(`http://127.0.0.1:${port}`, "/deep/photon/sse");

    expect(client.address).toMatch(/^\/deep\/photon\/messages\?sessionId=/);
    expect(await client.initialize()).toHaveProperty("result");
  });

  it("accepts a message with 202 and no body", async () => {
    const { url } = await listen();
    const client = await overSse(url);

    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const answer = await fetch(`${url}${client.address}`, { method: "POST", headers: json, body });

    expect(answer.status).toBe(202);
    expect(await answer.text()).toBe("");
  });

  it.each(["?sessionId=nobody", "", "?sessionId=", "?sessionId[]=a", "?sessionId=a&sessionId=b"])(
    "knows no session at /messages%s",
    async (query) => {
      const { url } = await listen();

      const answer = await fetch(`${url}/messages${query}`, { method: "POST", headers: json, body: "{}" });

      expect(answer.status).toBe(404);
    },
  );

  it("knows a session no more once its stream is gone", async () => {
    const { server, url } = await listen();
    const client = await overSse(url);
    const other = await overSse(url);
    await client.close();
    // The server has heard of it when the session is gone, which the next answer is later than.
    while (server.sessions > 1) await other.request("ping");

    const answer = await fetch(`${url}${client.address}`, { method: "POST", headers: json, body: "{}" });

    expect(answer.status).toBe(404);
  });

  it("answers what is no JSON with 400 and -32700, and what is sent as something else with 415", async () => {
    const { url } = await listen();
    const { address } = await overSse(url);
    const post = (body: string, headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}${address}`, { method: "POST", headers, body });

    const broken = await post("{", json);
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ error: { code: -32700 } });
    expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("{}", { ...json, "content-encoding": "gzip" })).status).toBe(415);
  });

  it("takes messages at the address it gave, however that is spelled", async () => {
    const { url } = await listen();
    const { address } = await overSse(url);
    const post = async (where: string): Promise<number> =>
      (await fetch(`${url}${where}`, { method: "POST", headers: json, body: "{}" })).status;

    expect(await post(address)).toBe(202);
    expect(await post(`${address}&more=1`)).toBe(202);
    expect(await post(address.replace("-", "%2D"))).toBe(202);
    expect(await post(`${address}0`)).toBe(404);
    expect(await post("/messages?sessionId=")).toBe(404);
  });

  it("shows that it is alive every 25 seconds", async () => {
    const clock = testClock();
    const { url } = await listen({ clock });
    const comments: string[] = [];
    let received = (): void => {};
    const ending = new AbortController();
    const stream = await fetch(`${url}/sse`, { signal: ending.signal });
    void readEvents(stream, () => {}, {
      onComment(comment) {
        comments.push(comment);
        received();
      },
    });

    for (let beat = 1; beat <= 3; beat++) {
      const next = new Promise<void>((resolve) => {
        received = resolve;
      });
      await clock.advance("25s");
      await next;
      expect(comments).toHaveLength(beat);
    }
    ending.abort();
  });
});
