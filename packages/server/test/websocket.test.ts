import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { deflateRawSync } from "node:zlib";
import { emit, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../../../test/requirements.ts";
import type { ListenOptions, ServerOptions } from "../src/index.ts";
import { transportContract } from "./transport-contract.ts";
import { listening, transports } from "./wire/servers.ts";
import { overWebSocket } from "../../../test/clients/carriers.ts";
import { callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

describe("websocket", () => {
  transportContract(transports.websocket, { afterTooBig: "closes" });

  const listen = (options: ServerOptions = {}, http: ListenOptions = {}): ReturnType<typeof listening> =>
    listening({ tools: [echo, greet], ...options }, http);

  /** What a handshake is refused with. */
  async function refused(url: string, options: WebSocket.ClientOptions = {}): Promise<string> {
    const socket = new WebSocket(url.replace("http", "ws"), ["mcp"], options);
    const [error] = (await once(socket, "error")) as [Error];
    return error.message;
  }

  it("echoes the subprotocol mcp", async () => {
    const client = await overWebSocket((await listen()).url, ["other", "mcp"]);

    expect(client.socket.protocol).toBe("mcp");
  });

  it("takes a client that offers no subprotocol", async () => {
    const client = await overWebSocket((await listen()).url, []);

    expect(client.socket.protocol).toBe("");
    expect(await client.initialize()).toHaveProperty("result");
  });

  it("refuses binary with 1003", async () => {
    const client = await overWebSocket((await listen()).url);

    client.socket.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'));

    expect((await once(client.socket, "close"))[0]).toBe(1003);
  });

  it("refuses text that is no UTF-8 with 1007", async () => {
    const client = await overWebSocket((await listen()).url);

    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });

    expect((await once(client.socket, "close"))[0]).toBe(1007);
  });

  it("closes with 1009 where a message is too big", async () => {
    const client = await overWebSocket((await listen({ limits: { messageBytes: 100 } })).url);

    client.socket.send("x".repeat(101));

    expect((await once(client.socket, "close"))[0]).toBe(1009);
  });

  it("agrees on no compression, and closes with 1002 where a message is compressed all the same", async () => {
    const { url } = await listen();
    const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    const body = deflateRawSync('{"jsonrpc":"2.0","id":1,"method":"ping"}');

    // A last frame of text that says it is compressed, under a mask that changes nothing.
    socket.write(Buffer.from([0xc1, 0x80 | body.length, 0, 0, 0, 0, ...body]));
    const [frame] = (await once(socket, "data")) as [Buffer];

    expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
    expect(head.toString()).not.toMatch(/extensions/i);
    expect({ isClose: frame[0] === 0x88, code: frame.readUInt16BE(2) }).toEqual({
      isClose: true,
      code: 1002,
    });
  });

  it("closes with 1001 when the server does", async () => {
    const { server, url } = await listen();
    const client = await overWebSocket(url);

    const closed = once(client.socket, "close");
    await server.close();

    expect((await closed)[0]).toBe(1001);
  });

  it("hangs up on a client that gives no sign of life, however many others come meanwhile", async () => {
    const clock = testClock();
    const witness = new Witness();
    const { server, url } = await listen({ clock, tools: [echo, witnessed(witness)] });
    const silent = await overWebSocket(url);
    await silent.initialize();
    silent.begin("tools/call", callOf("witnessed"));
    await silent.receive();
    // What `ws` does by itself, this client does no more.
    silent.socket.pong = () => {};
    const lively = await overWebSocket(url);
    await lively.initialize();

    await clock.advance("20s");
    const late = await overWebSocket(url);
    const pinged = [silent, lively].map(({ socket }) => once(socket, "ping"));
    await clock.advance("10s");
    await Promise.all(pinged);
    // Answered after the pong, which comes first on the same line.
    await lively.request("ping");
    await late.initialize();
    await clock.advance("30s");
    await silent.gone;
    await witness.afterEnd();

    expect(server.sessions).toBe(2);
    expect(textOf(await lively.callTool("echo", { text: "here" }))).toBe("here");
  });

  it("closes with 1013 the line of a client that reads too slowly, and serves the others", async () => {
    const witness = new Witness();
    const chatty = tool({
      name: "chatty",
      async *run() {
        try {
          for (;;) yield emit.status("x".repeat(100_000));
        } finally {
          witness.end("chatty");
        }
      },
    });
    const { url } = await listen({ tools: [echo, chatty], limits: { queueBytes: 200_000 } });
    const other = await overWebSocket(url);
    await other.initialize();
    const slow = await overWebSocket(url);
    await slow.initialize();
    const closed = once(slow.socket, "close");
    slow.socket.pause();

    // Each waits until its last message was taken; together they have more waiting than is allowed.
    for (let token = 0; token < 20; token++)
      slow.begin("tools/call", callOf("chatty", {}, { progressToken: token }));
    await witness.afterEnd();
    expect(textOf(await other.callTool("echo", { text: "here" }))).toBe("here");
    slow.socket.resume();

    expect((await closed)[0]).toBe(1013);
  });

  it("holds up a body whose client reads slowly, and loses nothing", async () => {
    const told: number[] = [];
    const chatty = tool({
      name: "chatty",
      async *run() {
        for (let count = 0; count < 300; count++) {
          yield emit.status(`${count} ${"x".repeat(100_000)}`);
          told.push(count);
        }
        return "done";
      },
    });
    const { url } = await listen({ tools: [chatty], limits: { queueBytes: 1_000_000 } });
    const client = await overWebSocket(url);
    await client.initialize();
    client.socket.pause();
    const id = client.begin("tools/call", callOf("chatty", {}, { progressToken: 1 }));
    // The other client's answers come while the first is held up.
    const other = await overWebSocket(url);
    await other.initialize();
    for (let round = 0; round < 20; round++) await other.request("ping");
    expect(told.length).toBeLessThan(300);

    client.socket.resume();

    expect(textOf(await client.answerTo(id))).toBe("done");
    const progress = client.messages.all.filter((message) =>
      JSON.stringify(message).includes("progressToken"),
    );
    expect(progress).toHaveLength(300);
  });

  it("refuses a Host or an Origin that is not this machine's with 403, at the handshake", async () => {
    const { server, url } = await listen();

    expect(await refused(`${url}/mcp`, { headers: { host: "evil.example" } })).toContain("403");
    expect(await refused(`${url}/mcp`, { origin: "https://evil.example" })).toContain("403");
    expect(await refused(`${url}/mcp`, { origin: "null" })).toContain("403");
    expect(server.sessions).toBe(0);
  });

  it("takes the Host and the Origin that it was told of", async () => {
    const { server, url } = await listen(
      {},
      { allowedHosts: ["photon.example"], allowedOrigins: ["https://app.example"] },
    );
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], {
      origin: "https://app.example",
      headers: { host: "photon.example:80" },
    });

    await once(socket, "open");

    expect(server.sessions).toBe(1);
    socket.close();
  });

  it.each(["http://photon.example:8080", "https://photon.example:3000", "http://photon.example"])(
    "refuses a page of an allowed host at another port or scheme: %s",
    async (origin) => {
      const { server, url } = await listen({}, { allowedHosts: ["photon.example"] });
      const headers = { host: "photon.example:3000" };

      expect(await refused(`${url}/mcp`, { origin, headers })).toContain("403");
      expect(server.sessions).toBe(0);
    },
  );

  it.each([
    ["its own address", undefined, "http://photon.example:3000", "photon.example:3000"],
    ["its own address, at the port that http has", undefined, "http://photon.example", "photon.example:80"],
    ["its publicUrl", "https://photon.example/tools", "https://photon.example", "photon.example"],
  ])("takes a page of %s", async (_, publicUrl, origin, host) => {
    const { server, url } = await listen(publicUrl === undefined ? {} : { publicUrl }, {
      allowedHosts: ["photon.example"],
    });
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], {
      origin,
      headers: { host },
    });

    await once(socket, "open");

    expect(server.sessions).toBe(1);
    socket.close();
  });

  it("refuses a page at another scheme of its publicUrl", async () => {
    const { url } = await listen(
      { publicUrl: "https://photon.example" },
      { allowedHosts: ["photon.example"] },
    );
    const headers = { host: "photon.example" };

    expect(await refused(`${url}/mcp`, { origin: "http://photon.example", headers })).toContain("403");
  });

  it(verifies("C1", "is at /mcp, and nowhere else"), async () => {
    const { url } = await listen();

    expect(await refused(`${url}/elsewhere`)).toContain("404");
    expect(await refused(`${(await listen({}, { transports: ["http", "sse"] })).url}/mcp`)).toContain("404");
  });

  it.each(["//", "//mcp", "/%", "http://[", "*"])("survives a handshake at %s", async (path) => {
    const { url } = await listen();
    const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
    socket.resume();
    const closed = once(socket, "close");

    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    );
    await closed;

    expect(await (await overWebSocket(url)).initialize()).toHaveProperty("result");
  });

  it("survives clients that reset the connection while they are refused", async () => {
    const { url } = await listen();
    for (let round = 0; round < 20; round++) {
      const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
      await once(socket, "connect");
      const closed = once(socket, "close");
      socket.write(
        "GET /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      );
      socket.resetAndDestroy();
      await closed;
    }

    expect(await (await overWebSocket(url)).initialize()).toHaveProperty("result");
  });
});
