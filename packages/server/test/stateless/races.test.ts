/** What comes at the same time, or at the wrong one: one run, one body, and nothing that nobody ends. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ask, emit, tool, type Tool } from "@photon/core";
import express, { type Express } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, type PhotonServer } from "../../src/index.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import {
  StatelessClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { greet, Witness, witnessed } from "../wire/tools.ts";

const keys = [randomBytes(32).toString("base64")];
const DAYS = 24 * 3_600_000;

/** An app that listens on a free port until the test is over. */
async function listeningWith(app: Express, server: PhotonServer): Promise<string> {
  const http = app.listen(0, "127.0.0.1");
  onTestFinished(async () => {
    await server.close();
    http.closeAllConnections();
    http.close();
  });
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Asks three times, and works after the first until it is let through. */
function wizard(witness: Witness, gate: Gate): Tool<never> {
  return tool({
    name: "wizard",
    durable: true,
    async *run(_input, { signal }) {
      witness.begun += 1;
      try {
        const one = yield* ask.text("One?");
        await gate.passed(signal);
        return `${one} ${yield* ask.text("Two?")} ${yield* ask.text("Three?")}`;
      } finally {
        witness.end("wizard");
      }
    },
  });
}

describe("two states of one run", () => {
  it(
    verifies(["C6", "E3"], "at once are one run: the newer goes on, and no body is left that nobody ends"),
    async () => {
      const home = (await serveStateless({ tools: [wizard(new Witness(), Gate.open())], keys })).client;
      const one = await home.call("wizard");
      const two = await home.accept(one, { "ask-1": "a" });
      const [witness, gate, clock] = [new Witness(), new Gate(), countingClock()];
      const { client, server } = await serveStateless({
        tools: [wizard(witness, gate)],
        keys,
        clock,
        limits: { parkedPerPrincipal: 2 },
      });

      const older = client.beginRetry(one, accepted({ "ask-1": "a" }));
      await gate.reached;
      const newer = client.beginRetry(two, accepted({ "ask-2": "b" }));
      await witness.afterEnd();
      gate.open();
      const [stopped, three] = await Promise.all([older.received, newer.received]);

      expect(textOf(stopped.answer)).toBe("The call continued from a later requestState.");
      expect(Object.keys(questionsIn(three))).toEqual(["ask-3"]);
      expect({ parked: server.parked, begun: witness.begun, ended: witness.ended.length }).toEqual({
        parked: 1,
        begun: 2,
        ended: 1,
      });
      clock.leap(8 * DAYS);
      await witness.afterEnd(2);
      while (server.parked > 0) await client.request("server/discover");
      for (let call = 0; call < 2; call++)
        expect(Object.keys(questionsIn(await client.call("wizard")))).toEqual(["ask-1"]);
    },
  );

  it("are refused where the older comes later than the newer", async () => {
    const home = (await serveStateless({ tools: [wizard(new Witness(), Gate.open())], keys })).client;
    const one = await home.call("wizard");
    const two = await home.accept(one, { "ask-1": "a" });
    const witness = new Witness();
    const { client } = await serveStateless({ tools: [wizard(witness, Gate.open())], keys });
    const three = await client.accept(two, { "ask-2": "b" });

    expect(codeIn(await client.accept(one, { "ask-1": "other" }))).toBe(-32602);
    expect(textOf((await client.accept(three, { "ask-3": "c" })).answer)).toBe("a b c");
    expect(witness.begun).toBe(1);
  });
});

describe("a client that is gone", () => {
  it.each(["patient", "witnessed"])(
    verifies("B8", "before its request was looked at has cancelled it: %s"),
    async (name) => {
      const [witness, arrived] = [new Witness(), new Gate()];
      const patient = tool({
        name: "patient",
        async *run(_input, { signal }) {
          witness.begun += 1;
          try {
            await new Gate().passed(signal);
          } finally {
            witness.end("patient");
          }
        },
      });
      const server = createServer({
        tools: [patient, witnessed(witness)],
        async authenticate({ headers, socket }) {
          if (headers.authorization === undefined) return "somebody";
          arrived.open();
          await once(socket, "close");
          return "who has gone";
        },
      });
      // Somebody else has read the message, so that nothing breaks off in the middle of it.
      const { router } = await server.router();
      const url = await listeningWith(express().use(express.json(), router), server);

      const call = new StatelessClient(overStatelessHttp(url, { authorization: "me" })).begin(
        "tools/call",
        callOf(name),
      );
      await arrived.passed();
      await call.leave();
      const other = new StatelessClient(overStatelessHttp(url));
      for (let times = 0; times < 5; times++) await other.request("server/discover");

      expect(server.parked).toBe(0);
      expect(witness.ended).toHaveLength(witness.begun);
    },
  );

  describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
    it(verifies("B8", "while its call works has cancelled it, and its body has ended"), async () => {
      const [witness, gate] = [new Witness(), new Gate()];
      const stage = await set({ tools: [wizard(witness, gate), greet] });
      const client = await stage.connect();
      const asked = await client.call("wizard");
      client.beginRetry(asked, accepted({ "ask-1": "a" }));
      await gate.reached;

      await client.close();
      await witness.afterEnd();

      const other = await stage.connect();
      const again = await other.call("greet");
      expect(textOf((await other.accept(again, { "ask-1": "Ada" })).answer)).toBe("Hello, Ada");
      expect(witness.begun).toBe(1);
    });

    it("while it is asked has cancelled nothing: somebody else may bring the answer", async () => {
      const stage = await set({ tools: [greet] });
      const client = await stage.connect();
      const asked = await client.call("greet");

      await client.close();
      const done = await (await stage.connect()).accept(asked, { "ask-1": "Ada" });

      expect(textOf(done.answer)).toBe("Hello, Ada");
    });
  });
});

describe("a retry", () => {
  it("that comes while the body of an earlier one ends waits for that, and is not lost in it", async () => {
    const [witness, ending] = [new Witness(), new Gate()];
    const slow = tool({
      name: "slow",
      durable: true,
      async *run(_input, { signal }) {
        witness.begun += 1;
        try {
          const name = yield* ask.text("Name?");
          yield emit.status("Working");
          if (witness.begun === 1) await new Gate().passed(signal);
          return `Hello, ${name}`;
        } finally {
          if (witness.begun === 1) await ending.passed();
          witness.end("slow");
        }
      },
    });
    const { client } = await serveStateless({ tools: [slow] });
    const asked = await client.call("slow");
    const one = client.beginRetry(asked, accepted({ "ask-1": "Ada" }), { meta: { progressToken: 1 } });
    await one.messages.next();
    await one.leave();
    await ending.reached;

    const two = client.beginRetry(asked, accepted({ "ask-1": "Ada" }));
    const three = client.beginRetry(asked, accepted({ "ask-1": "Ada" }));
    await client.request("server/discover");
    expect(witness.begun).toBe(1);
    ending.open();

    expect(textOf((await two.received).answer)).toBe("Hello, Ada");
    expect((await three.received).answer.result).toEqual((await two.received).answer.result);
    expect(witness).toMatchObject({ begun: 2, ended: ["slow", "slow"] });
  });

  it("of a call whose tool was replaced meanwhile goes on with the one it began with", async () => {
    const greeting = (word: string): Tool<never> =>
      tool({
        name: "greet",
        async *run() {
          return `${word}, ${yield* ask.text("Name?")}`;
        },
      });
    const { client, server } = await serveStateless({ tools: [greeting("Hello")] });
    const [one, two] = [await client.call("greet"), await client.call("greet")];

    server.replace({ tools: [greeting("Goodbye")] });
    const old = await client.accept(one, { "ask-1": "Ada" });
    const fresh = await client.accept(await client.call("greet"), { "ask-1": "Ada" });
    server.replace({ tools: [] });
    const gone = await client.accept(two, { "ask-1": "Bob" });

    expect([old, fresh, gone].map(({ answer }) => textOf(answer))).toEqual([
      "Hello, Ada",
      "Goodbye, Ada",
      "Hello, Bob",
    ]);
  });
});

describe("a body that only ever tells", () => {
  it.each(Object.entries(statelessTransports))(
    "keeps nobody else from being served over %s, and ends with its caller",
    async (_, set) => {
      const witness = new Witness();
      const endless = tool({
        name: "endless",
        async *run() {
          try {
            for (;;) yield emit.status("More");
          } finally {
            witness.end("endless");
          }
        },
      });
      const stage = await set({ tools: [endless, greet] });
      const client = await stage.connect();
      const call = client.begin(
        "tools/call",
        { name: "endless", arguments: {} },
        { meta: { progressToken: 1 } },
      );
      await call.messages.next();

      const other = await stage.connect();
      const done = await other.accept(await other.call("greet"), { "ask-1": "Ada" });
      await call.leave();
      await witness.afterEnd();

      expect(textOf(done.answer)).toBe("Hello, Ada");
    },
  );
});
