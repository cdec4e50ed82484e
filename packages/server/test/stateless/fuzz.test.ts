/** Nonsense in 2026-07-28, on every transport it is spoken on: nothing crashes, nothing hangs, others are served. */
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { ask, PhotonError, resource, tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { ServerOptions } from "../../src/index.ts";
import { listening, transports } from "../wire/servers.ts";
import { headersFor, overConnection, overStatelessHttp, present } from "../../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { META, StatelessClient, textOf } from "../../../../test/clients/raw-client.ts";
import { modernNonsense, type State } from "../wire/random-stateless-messages.ts";
import { Random } from "../wire/random.ts";
import { echo } from "../wire/tools.ts";

const SEED = 20_260_728;

/** Whoever sends the nonsense, and somebody beside them. */
interface Sides {
  readonly good: StatelessClient;
  /** Sends nonsense; gives what came back to it so far, as far as it is known. */
  send(text: string): Promise<void>;
  /** Settles when everything sent before was looked at. */
  caughtUp(): Promise<void>;
  readonly received: readonly Message[];
  close(): Promise<void>;
}

const onALine =
  (set: (typeof transports)["websocket"]) =>
  async (options: ServerOptions): Promise<Sides> => {
    const { server, connect } = await set(options);
    const bad = await connect();
    let asked = 0;
    return {
      good: new StatelessClient(overConnection(await connect())),
      send: (text) => bad.sendText(text),
      async caughtUp() {
        asked += 1;
        const id = `caught up ${asked}`;
        const meta = { [META.version]: "2026-07-28", [META.capabilities]: {} };
        void bad.send({ jsonrpc: "2.0", id, method: "server/discover", params: { _meta: meta } });
        await bad.answerTo(id);
      },
      received: bad.messages.all as Message[],
      close: () => server.close(),
    };
  };

async function overHttp(options: ServerOptions): Promise<Sides> {
  const { server, url } = await listening(options);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  onTestFinished(() => agent.destroy());
  const random = new Random(SEED);
  const received: Message[] = [];
  return {
    good: new StatelessClient(overStatelessHttp(url)),
    async send(text) {
      const headers = present(randomly(random, headersFor(parsed(text))));
      const request = httpRequest(`${url}/mcp`, { method: "POST", agent, headers });
      request.on("error", () => {});
      request.end(text);
      const [response] = (await once(request, "response")) as [IncomingMessage];
      let body = "";
      response.setEncoding("utf8");
      for await (const chunk of response as AsyncIterable<string>) {
        body += chunk;
        // One that listens would go on for ever.
        if (body.includes("acknowledged")) break;
      }
      if (response.headers["content-type"] === "application/json") received.push(JSON.parse(body) as Message);
    },
    async caughtUp() {},
    received,
    close: () => server.close(),
  };
}

function parsed(text: string): Message {
  const value: unknown = JSON.parse(text);
  const { method, params } = (typeof value === "object" && value !== null ? value : {}) as Message;
  return {
    method: typeof method === "string" ? method.replaceAll(/[^ -~]/g, "?") : "x",
    params: typeof params === "object" && params !== null ? params : {},
  };
}

/** Headers as they ought to be, but for now and then. */
function randomly(random: Random, headers: { readonly [name: string]: string | undefined }): typeof headers {
  const names = Object.keys(headers).filter((name) => name.startsWith("mcp-"));
  if (random.happens(0.9)) return headers;
  return {
    ...headers,
    [random.pick(names)]: random.pick([undefined, "", "x", "=?base64?!?=", "2025-11-25", "1, 2"]),
  };
}

/** The states that were given out last. */
function statesIn(received: readonly Message[]): readonly State[] {
  return received.slice(-200).flatMap(({ result }) => {
    const { requestState, inputRequests = {} } = (result ?? {}) as {
      readonly requestState?: string;
      readonly inputRequests?: Fields;
    };
    if (requestState === undefined) return [];
    return [{ state: requestState, name: Object.hasOwn(inputRequests, "name") ? "lasting" : "greet" }];
  });
}

const ways = [
  ["stdio", onALine(transports.stdio), 8000],
  ["websocket", onALine(transports.websocket), 8000],
  ["streamable http", overHttp, 2000],
] as const;

describe("nonsense in 2026-07-28", () => {
  it.each(ways)(
    verifies(["C5", "B8"], "over %s crashes nothing, hangs nothing, and costs nobody else anything"),
    { timeout: 60_000 },
    async (_, open, messages) => {
      let begun = 0;
      let ended = 0;
      const asking = (name: string, id?: string): ReturnType<typeof tool> =>
        tool({
          name,
          durable: id !== undefined,
          async *run() {
            begun += 1;
            try {
              return `Hello, ${yield* ask.text("Name?", { retries: 2, ...(id === undefined ? {} : { id }) })}`;
            } finally {
              ended += 1;
            }
          },
        });
      const page = resource({
        uri: "page://{number}",
        async *run({ number }) {
          return number;
        },
      });
      const reported: unknown[] = [];
      const random = new Random(SEED);
      const sides = await open({
        tools: [echo, asking("greet"), asking("lasting", "name")],
        resources: [page],
        limits: { runsPerSession: 1_000_000 },
        report: (error) => reported.push(error),
      });
      const over = new AbortController();
      const served = (async () => {
        let calls = 0;
        for (; !over.signal.aborted; calls++) {
          const asked = await sides.good.call("greet");
          const done = await sides.good.accept(asked, { "ask-1": `${calls}` });
          expect(textOf(done.answer)).toBe(`Hello, ${calls}`);
        }
        return calls;
      })();

      for (let sent = 0; sent < messages; sent += 200) {
        const states = statesIn(sides.received);
        await Promise.all(Array.from({ length: 200 }, () => sides.send(modernNonsense(random, states))));
        await sides.caughtUp();
      }
      over.abort();

      expect(await served).toBeGreaterThan(10);
      expect(sides.received.length).toBeGreaterThan(messages / 10);
      expect(begun).toBeGreaterThan(100);
      await sides.close();
      expect(ended).toBe(begun);
      // What Photon says in its own words is about the client; anything else is a fault.
      expect(reported.filter((error) => !(error instanceof PhotonError))).toEqual([]);
    },
  );
});
