import { execFile } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createServer as createHttpServer, request as httpRequest, type Server } from "node:http";
import { connect as connectSocket, createServer as createSocketServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PhotonError, type Clock } from "@photon/core";
import { testClock } from "@photon/core/testing";
import express, { type Express } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { Accounts } from "../src/accounts.ts";
import { EventStream, SseKeepAlive, type EventStreamSettings } from "../src/transports/event-stream.ts";
import {
  createServer,
  PathTaken,
  photonRouter,
  PortTaken,
  type Mountable,
  type PhotonServer,
} from "../src/index.ts";
import { defaultLimits } from "../src/limits.ts";
import { listening } from "./wire/servers.ts";
import { overHttp, overSse, overWebSocket } from "../../../test/clients/carriers.ts";
import { type RawClient, callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

/** Listens on a free port until the test is over. */
async function start(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The status of a GET with headers that `fetch` does not let through. */
async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const request = httpRequest(url, { headers }).end();
  const [response] = (await once(request, "response")) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

async function assertServed(client: RawClient): Promise<void> {
  await client.initialize();
  const id = client.begin("tools/call", callOf("greet"));
  await client.accept(await client.receive(), "Ada");
  expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
}

describe("the router", () => {
  async function mounted(
    app: Express,
    prefix = "/",
  ): Promise<{ readonly photon: PhotonServer; readonly http: Server; readonly url: string }> {
    const photon = createServer({ tools: [echo, greet] });
    onTestFinished(() => photon.close());
    const { router, attach } = await photon.router();
    const http = createHttpServer(app.use(prefix, router));
    attach(http, prefix === "/" ? "/mcp" : `${prefix}/mcp`);
    return { photon, http, url: await start(http) };
  }

  it(verifies("C1", "mounts in somebody's express app, behind its body parser"), async () => {
    const app = express().use(express.json({ limit: "5mb" }));
    app.get("/own", (_, response) => void response.send("mine"));
    const { url } = await mounted(app);

    await assertServed(await overHttp(url));
    await assertServed(await overSse(url));
    await assertServed(await overWebSocket(url));
    expect(await (await fetch(`${url}/own`)).text()).toBe("mine");
  });

  it("mounts under a prefix", async () => {
    const { url } = await mounted(express(), "/tools");

    await assertServed(await overHttp(url, "/tools/mcp"));
    await assertServed(await overSse(url, "/tools/sse"));
    await assertServed(await overWebSocket(`${url}/tools`));
    expect((await fetch(`${url}/mcp`)).status).toBe(404);
  });

  it("leaves the upgrades of other paths to the app", async () => {
    const { http, url } = await mounted(express());
    http.on("upgrade", (request, socket) => {
      if (request.url === "/own") socket.end("HTTP/1.1 418 I'm a teapot\r\nConnection: close\r\n\r\n");
    });
    const request = httpRequest(`${url}/own`, { headers: { connection: "Upgrade", upgrade: "websocket" } });
    request.end();

    const [response] = (await once(request, "response")) as [{ statusCode?: number; resume(): void }];
    response.resume();

    expect(response.statusCode).toBe(418);
    await assertServed(await overWebSocket(url));
  });

  it.each(["/elsewhere", "//", "//mcp", "/%", "http://["])(
    "refuses an upgrade at %s that nobody else takes",
    async (path) => {
      const { url } = await mounted(express());
      const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });

      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      await once(socket, "close");

      expect(text).toMatch(/^HTTP\/1\.1 404 /);
      await assertServed(await overWebSocket(url));
    },
  );

  it("leaves what the app's parser refuses to the app", async () => {
    const { url } = await mounted(express().use(express.json()));
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

    const answer = await fetch(`${url}/mcp`, { method: "POST", headers, body: "{" });

    expect(answer.status).toBe(400);
  });

  it("lets nobody in once its server is closed, and the app goes on", async () => {
    const app = express();
    app.get("/own", (_, response) => void response.send("mine"));
    const { photon, http, url } = await mounted(app);
    await assertServed(await overHttp(url));

    await photon.close();

    const late = await overHttp(url);
    late.begin("initialize", { protocolVersion: "2025-11-25" });
    expect(await late.refusal()).toMatchObject({ error: { code: -31001 } });
    expect((await fetch(`${url}/sse`)).status).toBe(503);
    expect(http.listenerCount("upgrade")).toBe(0);
    expect(photon.sessions).toBe(0);
    expect(await (await fetch(`${url}/own`)).text()).toBe("mine");
  });
});

describe("attach", () => {
  async function served(...paths: readonly string[]): Promise<{
    readonly http: Server;
    readonly photon: PhotonServer;
    readonly attach: Mountable["attach"];
  }> {
    const http = createHttpServer();
    const photon = createServer({ tools: [greet] });
    onTestFinished(() => photon.close());
    const { attach } = await photon.router();
    for (const path of paths) attach(http, path);
    return { http, photon, attach };
  }

  it("refuses a path that is taken already, whoever took it, and serves who came first", async () => {
    const { http, attach } = await served("/mcp");
    const other = await served();

    for (const again of [attach, other.attach]) {
      const attachAgain = (): void => again(http, "/mcp");
      expect(attachAgain).toThrow(PathTaken);
      expect(attachAgain).toThrow(
        "The upgrades at /mcp of this HTTP server are taken already; attach at another path.",
      );
    }

    await assertServed(await overWebSocket(await start(http)));
  });

  it("takes several paths of one server, and refuses what is at none of them", async () => {
    const { http } = await served("/one/mcp", "/two/mcp");
    const url = await start(http);

    await assertServed(await overWebSocket(`${url}/one`));
    await assertServed(await overWebSocket(`${url}/two`));
    await expect(overWebSocket(`${url}/three`)).rejects.toThrow("404");
  });

  it("frees a path when its server is closed", async () => {
    const { http, photon } = await served("/mcp");
    await photon.close();

    const { attach } = await served();
    attach(http, "/mcp");

    await assertServed(await overWebSocket(await start(http)));
  });
});

describe("photonRouter", () => {
  it(verifies("C1", "is middleware of one line, behind the app's body parser"), async () => {
    const photon = photonRouter({ tools: [echo, greet] });
    onTestFinished(() => photon.close());
    const app = express()
      .use(express.json({ limit: "5mb" }))
      .use("/tools", photon);
    const url = await start(createHttpServer(app));

    await assertServed(await overHttp(url, "/tools/mcp"));
    await assertServed(await overSse(url, "/tools/sse"));
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  });

  it("takes what a server and its guard are told, and closes", async () => {
    const photon = photonRouter({
      name: "mine",
      tools: [echo],
      allowedHosts: ["photon.example"],
      transports: ["http"],
    });
    const url = await start(createHttpServer(express().use(photon)));

    const client = await overHttp(url);
    expect(await client.initialize()).toMatchObject({ result: { serverInfo: { name: "mine" } } });
    expect(await statusOf(`${url}/healthz`, { host: "photon.example" })).toBe(200);
    expect((await fetch(`${url}/sse`)).status).toBe(404);
    await photon.close();

    client.begin("ping");
    expect(await client.refusal()).toMatchObject({ error: { code: -32600 } });
  });

  it("lets nobody in who comes first when it is closed", async () => {
    const photon = photonRouter({ tools: [echo] });
    const url = await start(createHttpServer(express().use(photon)));

    await photon.close();

    expect((await fetch(`${url}/sse`)).status).toBe(503);
  });

  it("loads neither express nor ws only to be closed", async () => {
    const fixture = fileURLToPath(new URL("fixtures/close-router.mjs", import.meta.url));

    const { stdout } = await promisify(execFile)(process.execPath, [fixture]);

    expect(JSON.parse(stdout)).toEqual({ closed: [], opened: ["express", "ws"] });
  });
});

describe("a server's handler", () => {
  it(verifies("C1", "serves over a server of Node's own"), async () => {
    const photon = createServer({ tools: [echo, greet] });
    onTestFinished(() => photon.close());
    const url = await start(createHttpServer(photon.handler));

    await assertServed(await overHttp(url));
    await assertServed(await overSse(url));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("answers with 500 where HTTP cannot be opened, and reports why", async () => {
    const reported: unknown[] = [];
    const photon = createServer({
      // What no compiler would let through.
      allowedHosts: 5 as never,
      report: (error) => reported.push(error),
    });
    const url = await start(createHttpServer(photon.handler));

    const answer = await fetch(`${url}/mcp`);

    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { code: -32603 } });
    expect(reported).toEqual([expect.any(TypeError)]);
  });

  it("lets nobody in once its server is closed, even if nobody came before", async () => {
    const photon = createServer({ tools: [echo] });
    const url = await start(createHttpServer(photon.handler));

    await photon.close();

    expect((await fetch(`${url}/sse`)).status).toBe(503);
    expect(photon.sessions).toBe(0);
  });
});

describe("what a server is told of HTTP", () => {
  const options = { tools: [echo], allowedHosts: ["Photon.example"], transports: ["http"] } as const;
  const asked = async (url: string): Promise<readonly (number | undefined)[]> => [
    await statusOf(`${url}/healthz`, { host: "photon.example" }),
    await statusOf(`${url}/healthz`, { host: "other.example" }),
    await statusOf(`${url}/sse`, {}),
  ];

  it("holds for its handler, its routers and where it listens", async () => {
    const photon = createServer(options);
    onTestFinished(() => photon.close());
    const { router } = await photon.router();
    const urls = [
      await start(createHttpServer(photon.handler)),
      await start(createHttpServer(express().use(router))),
      (await photon.listen()).url,
    ];

    for (const url of urls) expect(await asked(url)).toEqual([200, 403, 404]);
  });

  it("gives way to what a router or a port is told, and not to what that leaves out", async () => {
    const photon = createServer(options);
    onTestFinished(() => photon.close());
    const { router } = await photon.router({ allowedHosts: ["other.example"], transports: undefined });
    const urls = [
      await start(createHttpServer(express().use(router))),
      (await photon.listen({ allowedHosts: ["other.example"], transports: undefined })).url,
    ];

    for (const url of urls) expect(await asked(url)).toEqual([403, 200, 404]);
  });
});

describe("a server that is closed while it begins to listen", () => {
  it("does not listen", async () => {
    const photon = createServer({ tools: [echo] });
    const opening = photon.listen();

    await photon.close();

    await expect(opening).rejects.toThrow("closed before it listened");
  });
});

describe("the stream of SSE", () => {
  it("is not opened for a client that has gone meanwhile, nor for one that only looks", async () => {
    const photon = createServer({ tools: [echo] });
    onTestFinished(() => photon.close());
    const { router } = await photon.router();
    const events = new EventEmitter();
    const app = express()
      .use((request, response, next) => {
        if (request.method === "HEAD") return next();
        response.once("close", () => events.emit("gone", next));
        events.emit("asked");
      })
      .use(router);
    const url = await start(createHttpServer(app));
    const leaving = new AbortController();
    const asked = once(events, "asked");
    const gone = once(events, "gone");
    const asking = fetch(`${url}/sse`, { signal: leaving.signal }).catch(() => {});
    await asked;
    leaving.abort();
    await asking;
    const [goOn] = (await gone) as [() => void];
    goOn();

    expect(photon.sessions).toBe(0);
    expect((await fetch(`${url}/sse`, { method: "HEAD" })).status).toBe(405);
  });
});

describe("listen", () => {
  it("is asked for its health at /healthz", async () => {
    const { url } = await listening();

    const answer = await fetch(`${url}/healthz`);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: "ok" });
  });

  it("does not tell what it is made of", async () => {
    const { url } = await listening();

    for (const path of ["/healthz", "/mcp", "/nowhere"])
      expect((await fetch(`${url}${path}`)).headers.get("x-powered-by")).toBeNull();
  });

  it.each([
    ["evil.example", 403],
    ["localhost@evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost:1", 200],
    ["LOCALHOST", 200],
    ["[::1]:99", 200],
  ])("answers a request for the host %j with %i", async (host, status) => {
    const { url } = await listening();

    expect(await statusOf(`${url}/healthz`, { host })).toBe(status);
  });

  it("says which port is taken, and what to do", async () => {
    const other = createSocketServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    // It listens on a port.
    const { port } = other.address() as AddressInfo;
    const server = createServer();

    const error: unknown = await server.listen({ port }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(PortTaken);
    expect(error).toBeInstanceOf(PhotonError);
    expect(error).toMatchObject({
      code: "PORT_TAKEN",
      message: `Port ${port} of 127.0.0.1 is taken; stop what listens there, or give another port (0: any that is free).`,
    });
    await server.close();
  });

  it("listens on ::1, and gives its address as a URL", async () => {
    const { url } = await listening({ tools: [echo, greet] }, { host: "::1" });

    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    await assertServed(await overHttp(url));
    await assertServed(await overWebSocket(url));
  });

  it.each([
    ["0.0.0.0", "127.0.0.1"],
    ["0", "127.0.0.1"],
    ["::", "[::1]"],
    ["LocalHost", "localhost"],
  ])("that is told to listen on %s says that it is reached by %s", async (host, name) => {
    const { url } = await listening({ tools: [greet] }, { host, noAuth: true });

    expect(url).toMatch(`http://${name}:`);
    await assertServed(await overHttp(url));
    expect(await statusOf(`${url}/healthz`, { host: "0.0.0.0" })).toBe(403);
    expect(await statusOf(`${url}/healthz`, { host: "[::]" })).toBe(403);
  });

  // Elsewhere a machine has one loopback address.
  it.runIf(process.platform === "linux")("listens on 127.0.0.1 alone, unless it is told to", async () => {
    for (const options of [{}, { host: "" }]) {
      const { url } = await listening({}, options);

      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await expect(fetch(`${url.replace("127.0.0.1", "127.0.0.2")}/healthz`)).rejects.toThrow("fetch failed");
    }
  });

  it.runIf(process.platform === "linux")("is reached by the host that it was given", async () => {
    const { url } = await listening({ tools: [greet] }, { host: "127.0.0.2" });

    expect(url).toMatch("http://127.0.0.2:");
    await assertServed(await overHttp(url));
    await assertServed(await overWebSocket(url));
    expect(await statusOf(`${url}/healthz`, { host: "192.0.2.3" })).toBe(403);
  });

  it("serves only the transports that it was told to", async () => {
    const { url } = await listening({ tools: [echo, greet] }, { transports: ["http"] });

    await assertServed(await overHttp(url));
    expect((await fetch(`${url}/sse`)).status).toBe(404);
  });

  it("listens on as many ports as are wanted, and each is closed by itself", async () => {
    const witness = new Witness();
    const server = createServer({ tools: [witnessed(witness), greet] });
    onTestFinished(() => server.close());
    const one = await server.listen();
    const other = await server.listen();
    const client = await overWebSocket(one.url);
    await client.initialize();
    client.begin("tools/call", callOf("witnessed"));
    await client.receive();

    await one.close();

    expect(witness.ended).toEqual(["witnessed"]);
    await expect(fetch(`${one.url}/healthz`)).rejects.toThrow("fetch failed");
    await assertServed(await overHttp(other.url));
  });

  it("reports what goes wrong inside a request, and answers with 500", async () => {
    const reported: unknown[] = [];
    const { url } = await listening({
      report: (error) => reported.push(error),
      // A clock that breaks where a session is opened.
      clock: {
        now() {
          throw new Error("no time");
        },
        after: () => () => {},
      },
    });

    const client = await overHttp(url);
    client.begin("initialize", { protocolVersion: "2025-11-25" });
    const answer = await client.refusal();

    expect(answer.error?.code).toBe(-32603);
    expect(String(reported[0])).toContain("no time");
  });
});

describe("an event stream", () => {
  const account = new Accounts(defaultLimits).of("");
  const streamingBy = (clock: Clock): EventStreamSettings => ({
    limits: defaultLimits,
    clock,
    keepAlive: new SseKeepAlive(clock),
  });

  it("keeps no timer for a client that was gone before it began", async () => {
    const clock = testClock();
    let timers = 0;
    const counted = {
      now: () => clock.now(),
      after(): () => void {
        timers += 1;
        return () => {};
      },
    };
    let served: (stream: EventStream) => void = () => {};
    const stream = new Promise<EventStream>((resolve) => {
      served = resolve;
    });
    const url = await start(
      createHttpServer((_, response) => {
        response.once("close", () => served(new EventStream(response, streamingBy(counted), account)));
        ending.abort();
      }),
    );
    const ending = new AbortController();

    await expect(fetch(url, { signal: ending.signal })).rejects.toThrow("aborted");

    expect((await stream).isClosed).toBe(true);
    expect(timers).toBe(0);
  });

  it("waits for a slow client with one set of listeners, however much is written", async () => {
    interface Writing {
      /** How many listen for the client to go, beside those from before. */
      readonly count: () => number;
      readonly done: Promise<void>;
    }
    let served: (writing: Writing) => void = () => {};
    const writing = new Promise<Writing>((resolve) => {
      served = resolve;
    });
    const url = await start(
      createHttpServer((_, response) => {
        const stream = new EventStream(response, streamingBy(testClock()), account);
        const before = response.listenerCount("close");
        const writes = Array.from({ length: 50 }, async () => stream.write({ data: "x".repeat(100_000) }));
        served({
          count: () => response.listenerCount("close") - before,
          done: Promise.all(writes).then(() => stream.end()),
        });
      }),
    );

    const answer = await fetch(url);
    const { count, done } = await writing;
    expect(count()).toBeLessThanOrEqual(1);
    expect((await answer.text()).length).toBeGreaterThan(5_000_000);
    await done;

    expect(count()).toBeLessThanOrEqual(0);
  });
});
