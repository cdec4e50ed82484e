/** A client that disconnects, or a server that closes, before a request has reached a call: none is started or resumed for it. */
import { randomBytes } from "node:crypto";
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import type { ServerOptions, Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { linkIn, runIn, saidIn } from "../handover/model.ts";
import { answerPage } from "../secrets/person.ts";
import { overrideStore } from "../stores/override-store.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { type StatelessClient, accepted, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { greet, Witness } from "../wire/tools.ts";

const keys = [randomBytes(32).toString("base64")];

/** A client on one line: the server knows that it has left a request before it receives the next one. */
async function overConnection(options: ServerOptions, can?: object): Promise<StatelessClient> {
  const stage = await statelessTransports.websocket({ keys, report() {}, ...options });
  return stage.connect({ ...can });
}

/** A tool with the name of one of the server's, which takes note of the answers that it was called with. */
function noting(name: string, answers: unknown[]): Tool<never> {
  return tool({
    name,
    input: { type: "object", properties: { run: { type: "string" }, answer: { type: "string" } } },
    async *run({ answer }: { readonly answer?: string | undefined }) {
      answers.push(answer);
    },
  });
}

/** A store that keeps its readers waiting, once it is told to. */
function slowStore(): { readonly store: Store; readonly gate: Gate; readonly slowDown: () => void } {
  const [store, gate] = [memoryStore(), new Gate()];
  let isSlow = false;
  const pass = async (): Promise<void> => {
    if (isSlow) await gate.passed();
  };
  return {
    store: overrideStore(store, {
      read: (...given) => pass().then(() => store.read(...given)),
      lease: (...given) => pass().then(() => store.lease(...given)),
    }),
    gate,
    slowDown: () => void (isSlow = true),
  };
}

describe("a request whose client disconnects", () => {
  it(
    verifies("B8", "while photon_continue looks for its run in the store leaves the run to the next request"),
    async () => {
      const { store, gate, slowDown } = slowStore();
      const client = await overConnection({ tools: [greet], store, whenUnsupported: "page" });
      const asked = saidIn((await client.call("greet")).answer);
      const run = runIn(asked);
      await answerPage(linkIn(asked), "Ada");
      slowDown();
      const left = client.begin("tools/call", callOf("photon_continue", { run }));
      await gate.reached;

      await left.leave();
      const next = client.begin("tools/call", callOf("photon_continue", { run }));
      await client.request("server/discover");
      gate.open();

      expect(textOf((await next.received).answer)).toBe("Hello, Ada");
    },
  );

  it("while it is looked up whether the process of its run is alive starts nothing", async () => {
    const { store, gate, slowDown } = slowStore();
    const answers: unknown[] = [];
    const client = await overConnection({ tools: [noting("photon_answer", answers)], store });
    slowDown();
    const run = "some-run@a-process-that-ended";
    const left = client.begin("tools/call", callOf("photon_answer", { run, answer: "left" }));
    await gate.reached;

    await left.leave();
    const next = client.begin("tools/call", callOf("photon_answer", { run, answer: "next" }));
    await client.request("server/discover");
    gate.open();
    await next.received;

    expect(answers).toEqual(["next"]);
  });

  it("while it waits for an earlier request of its call resumes nothing", async () => {
    const [witness, working, ending] = [new Witness(), new Gate(), new Gate()];
    const slow = tool({
      name: "slow",
      durable: true,
      async *run(_input, { signal }) {
        yield* ask.text("Name?", { id: "name" });
        witness.begun += 1;
        try {
          if (witness.begun === 1) await working.passed(signal);
        } finally {
          await ending.passed();
        }
        return "done";
      },
    });
    const client = await overConnection({ tools: [slow] }, { elicitation: {} });
    const asked = await client.call("slow");
    const first = client.beginRetry(asked, accepted({ name: "Ada" }));
    await working.reached;
    await first.leave();
    await ending.reached;

    const second = client.beginRetry(asked, accepted({ name: "Ada" }));
    await client.request("server/discover");
    await second.leave();
    await client.request("server/discover");
    ending.open();
    const third = await client.retry(asked, accepted({ name: "Ada" }));

    expect(textOf(third.answer)).toBe("done");
    expect(witness.begun).toBe(2);
  });
});

describe("a request whose server closes", () => {
  it(verifies("B8", "while its run is looked up in the store starts nothing, and is answered"), async () => {
    const { store, gate, slowDown } = slowStore();
    const answers: unknown[] = [];
    const { client, server } = await serveStateless({
      tools: [noting("photon_continue", answers)],
      keys,
      store,
    });
    slowDown();
    const call = client.begin("tools/call", callOf("photon_continue", { run: "some-run", answer: "late" }));
    await gate.reached;

    const closing = server.close();
    gate.open();
    await closing;

    expect((await call.received).answer.error).toEqual({ code: -32603, message: "The server was closed." });
    expect(answers).toEqual([]);
  });
});
