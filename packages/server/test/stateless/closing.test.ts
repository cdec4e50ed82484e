/** Closing a server: open requests are answered, and waiting calls end or continue in another process (ARCHITECTURE.md §2.4). */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, emit, prompt, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, type ServerOptions } from "../../src/index.ts";
import { StatelessCall } from "../../src/stateless/stateless-call.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { MessageQueue, isResponseTo } from "../../../../test/clients/messages.ts";
import {
  META,
  MODERN,
  StatelessClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "../wire/tools.ts";

const keys = [randomBytes(32).toString("base64")];

function working(witness: Witness, gate: Gate): Tool<never> {
  return tool({
    name: "working",
    async *run(_input, { signal }) {
      try {
        yield emit.status("Working");
        await gate.passed(signal);
        return "done";
      } finally {
        witness.end("working");
      }
    },
  });
}

function lasting(witness: Witness): Tool<never> {
  return tool({
    name: "lasting",
    durable: true,
    async *run() {
      witness.begun += 1;
      try {
        return `Hello, ${yield* ask.text("Name?")} ${yield* ask.text("Surname?")}`;
      } finally {
        witness.end("lasting");
      }
    },
  });
}

describe.each(Object.entries(statelessTransports))("closing a server over %s", (_, set) => {
  it(verifies(["B8", "C6"], "answers the calls under way, and their bodies have ended"), async () => {
    const witness = new Witness();
    const gate = new Gate();
    const stage = await set({ tools: [working(witness, gate)] });
    const client = await stage.connect();
    const silent = client.begin("tools/call", callOf("working"));
    const telling = client.begin("tools/call", callOf("working"), { meta: { progressToken: 1 } });
    await telling.messages.next(({ method }) => method === "notifications/progress");
    await gate.reached;

    await stage.server.close();

    for (const call of [silent, telling]) {
      const { answer } = await call.received;
      expect(answer.result).toMatchObject({ resultType: "complete", isError: true });
      expect(textOf(answer)).toBe("The server was closed.");
    }
    expect(witness.ended).toEqual(["working", "working"]);
  });

  it(verifies(["B8", "C6"], "ends what waits for answers"), async () => {
    const witness = new Witness();
    const stage = await set({ tools: [witnessed(witness), lasting(witness)] });
    const client = await stage.connect();
    await client.call("witnessed");
    await client.call("lasting");

    await stage.server.close();

    expect(witness.ended.toSorted()).toEqual(["lasting", "witnessed"]);
    expect(stage.server.parked).toBe(0);
  });

  it(
    verifies(["B8", "C6"], "leaves alone what another with the same keys can go on with, and ends the rest"),
    async () => {
      const witness = new Witness();
      const stage = await set({ tools: [witnessed(witness), lasting(witness)], keys });
      const client = await stage.connect();
      await client.call("witnessed");
      const one = await client.call("lasting");
      const two = await client.accept(one, { "ask-1": "Ada" });

      await stage.server.close();
      expect(witness.ended).toEqual(["witnessed"]);
      expect(stage.server.parked).toBe(0);
      const other = await (await set({ tools: [lasting(witness)], keys })).connect();
      const done = await other.accept(two, { "ask-2": "Lovelace" });

      expect(textOf(done.answer)).toBe("Hello, Ada Lovelace");
      expect(witness).toMatchObject({ begun: 3, ended: ["witnessed", "lasting"] });
    },
  );

  it(
    verifies(
      ["C5", "C6", "E1"],
      "tells the client of a durable call that works to send it again, to any server",
    ),
    async () => {
      const gate = new Gate();
      const done: string[] = [];
      const paying = tool({
        name: "paying",
        durable: true,
        async *run() {
          const name = yield* ask.text("Name?", { id: "name" });
          yield* step("pay", async ({ key }) => {
            if (done.length === 0) await gate.passed();
            done.push(key);
          });
          return `Paid for ${name}`;
        },
      });
      const stage = await set({ tools: [paying], keys });
      const client = await stage.connect();
      const asked = await client.call("paying");
      const retry = client.beginRetry(asked, accepted({ name: "Ada" }));
      await gate.reached;

      const closing = stage.server.close();
      gate.open();
      await closing;
      const again = await retry.received;

      expect(again.answer.result).toMatchObject({ resultType: "input_required" });
      expect(again.answer.result).not.toHaveProperty("inputRequests");
      const other = await (await set({ tools: [paying], keys })).connect();
      expect(textOf((await other.retry(again, {})).answer)).toBe("Paid for Ada");
      expect(done).toHaveLength(1);
    },
  );

  it(verifies(["C5", "C6"], "does so although its input is still being checked"), async () => {
    const gate = new Gate();
    const input = z.object({ name: z.string() }).refine(async () => {
      await gate.passed();
      return true;
    });
    const greeting = tool({
      name: "greeting",
      durable: true,
      input,
      async *run() {
        await new Promise(() => {});
      },
    });
    const stage = await set({ tools: [greeting], keys });
    const client = await stage.connect();
    const call = client.begin("tools/call", callOf("greeting", { name: "Ada" }));
    await gate.reached;

    const closing = stage.server.close();
    gate.open();
    await closing;

    expect((await call.received).answer.result).toMatchObject({ resultType: "input_required" });
  });

  it("ends those that listen, with a result", async () => {
    const stage = await set({ tools: [echo] });
    const client = await stage.connect();
    const listening = client.begin(
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      { id: "l" },
    );
    await listening.messages.next(({ method }) => method === "notifications/subscriptions/acknowledged");

    await stage.server.close();

    const { answer } = await listening.received;
    expect(answer).toMatchObject({
      id: "l",
      result: { resultType: "complete", _meta: { [META.subscriptionId]: "l" } },
    });
  });

  it("leaves no timer, whatever was asked, refused, told and kept", async () => {
    const clock = countingClock();
    const stage = await set({
      tools: [greet, lasting(new Witness()), working(new Witness(), Gate.open())],
      clock,
      keys,
      limits: { parkedPerPrincipal: 3 },
    });
    const client = await stage.connect();
    const [one, two] = [await client.call("greet"), await client.call("lasting")];
    await client.call("greet");
    expect(codeIn(await client.call("greet"))).toBe(-31001);
    await client.accept(one, { "ask-1": "Ada" });
    await client.accept(two, { "ask-1": "Ada" });
    await client.call("working", {}, { meta: { progressToken: 1 } });

    await stage.server.close();

    expect(clock.running).toBe(0);
  });
});

describe("a call that could not be parked", () => {
  it("leaves no timer behind, either", async () => {
    const clock = countingClock();
    const { client, server } = await serveStateless({ tools: [greet], clock, limits: { stateBytes: 10 } });

    expect(codeIn(await client.call("greet"))).toBe(-31001);
    await client.close();
    await server.close();

    expect(clock.running).toBe(0);
  });
});

describe("a durable call that is being closed, as its server closes before the input was checked", () => {
  it(verifies("B8", "is answered without a timeout although its client disconnects meanwhile"), async () => {
    const gate = new Gate();
    let isSlow = false;
    const checked = tool({
      name: "checked",
      durable: true,
      input: z.object({}).refine(async () => {
        if (isSlow) await gate.passed();
        return true;
      }),
      async *run() {
        return yield* ask.text("Name?", { id: "name" });
      },
    });
    const options = { tools: [checked], keys, store: memoryStore(), grace: "20s" } as const;
    const asking = await serveStateless(options);
    const asked = await asking.client.call("checked");
    await asking.server.close();
    const { client, server } = await serveStateless(options);
    isSlow = true;
    const retry = client.beginRetry(asked, accepted({ name: "Ada" }));
    await gate.reached;
    const closes = vi.spyOn(StatelessCall.prototype, "close");
    const disconnects = vi.spyOn(StatelessCall.prototype, "onDisconnect");

    const closing = server.close();
    await expect.poll(() => closes.mock.calls.length, { timeout: 5000 }).toBeGreaterThan(0);
    await retry.leave();
    await expect.poll(() => disconnects.mock.calls.length).toBeGreaterThan(0);
    gate.open();

    await expect(closing).resolves.toBeUndefined();
  });
});

describe("a server that was closed", () => {
  it(verifies("B8", "lets nobody in any more, where it was mounted in somebody else's"), async () => {
    const witness = new Witness();
    const server = createServer({ tools: [witnessed(witness)] });
    const http = createHttpServer(server.handler).listen(0, "127.0.0.1");
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const client = new StatelessClient(overStatelessHttp(`http://127.0.0.1:${port}`));
    const asked = await client.call("witnessed");
    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);

    await server.close();
    const again = await client.call("witnessed");
    const answered = await client.retry(asked, accepted({ "ask-1": "Ada" }));
    const listening = await client.request("subscriptions/listen", { notifications: {} });

    for (const { status, answer } of [again, answered, listening]) {
      expect(status).toBe(503);
      expect(answer.error).toMatchObject({ message: "This server was closed." });
    }
    expect(witness).toMatchObject({ begun: 1, ended: ["witnessed"] });
    expect(server.parked).toBe(0);
  });

  it("is closed, whatever comes in on a line while it closes", async () => {
    const ending = new Gate();
    const slow = tool({
      name: "slow",
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          await ending.passed();
        }
      },
    });
    const server = createServer({ tools: [slow, greet] });
    const inbox = new MessageQueue();
    const line = server.open({ mayMergeReads: false, send: (message) => inbox.push(message), close() {} });
    const send = (id: string, method: string, params: object): void =>
      line.receive({
        jsonrpc: "2.0",
        id,
        method,
        params: { ...params, _meta: { [META.version]: MODERN, [META.capabilities]: { elicitation: {} } } },
      });
    send("call", "tools/call", callOf("slow"));
    await inbox.next(isResponseTo("call"));

    const closing = server.close();
    await ending.reached;
    send("listen", "subscriptions/listen", { notifications: { toolsListChanged: true } });
    send("late", "tools/call", callOf("greet"));
    ending.open();
    await closing;

    expect(server.parked).toBe(0);
    expect(server.sessions).toBe(0);
  });
});

describe("what an author does outside of a body, and never ends", () => {
  const never = new Promise<never>(() => {});
  const completion = { ref: { type: "ref/prompt", name: "letter" }, argument: { name: "to", value: "A" } };

  /** A completer and a check of input that tell when they have begun. */
  function hanging(): { readonly options: ServerOptions; readonly begun: Promise<void>[] } {
    const gates = [new Gate(), new Gate()] as const;
    const letter = prompt({
      name: "letter",
      arguments: {
        to: {
          complete() {
            void gates[0].passed();
            return never;
          },
        },
      },
      async *run() {
        return "Dear";
      },
    });
    const checked = tool({
      name: "checked",
      input: {
        "~standard": {
          version: 1,
          vendor: "test",
          jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
          validate() {
            void gates[1].passed();
            return never;
          },
        },
      },
      async *run() {},
    });
    return {
      options: { prompts: [letter], tools: [checked], grace: "20ms" },
      begun: gates.map(({ reached }) => reached),
    };
  }

  it.each(Object.entries(statelessTransports))(
    verifies("C6", "does not keep a server from closing, and is answered (%s)"),
    async (_, set) => {
      const { options, begun } = hanging();
      const stage = await set(options);
      const client = await stage.connect();
      const requests = [
        client.begin("completion/complete", completion),
        client.begin("tools/call", callOf("checked")),
      ];
      await Promise.all(begun);

      await stage.server.close();

      for (const { received } of requests)
        expect((await received).answer.error).toEqual({ code: -32603, message: "The server was closed." });
    },
  );

  it("does not keep a line from ending", async () => {
    const { options, begun } = hanging();
    const server = createServer(options);
    const line = server.open({ mayMergeReads: false, send() {}, close() {} });
    const params = { ...completion, _meta: { [META.version]: MODERN, [META.capabilities]: {} } };
    line.receive({ jsonrpc: "2.0", id: 1, method: "completion/complete", params });
    await begun[0];

    await line.close();

    expect(server.sessions).toBe(0);
  });
});
