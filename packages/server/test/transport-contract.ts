/** What every transport must do, whatever it is made of. */
import { expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import type { ServerOptions } from "../src/index.ts";
import type { StartServer, TestServer } from "./wire/servers.ts";
import type { Message } from "../../../test/clients/messages.ts";
import { type RawClient, callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

export interface Capabilities {
  /** What becomes of a line whose client sent a message that is too big. */
  readonly afterTooBig: "lives" | "closes";
}

const MIB = 1024 * 1024;

export function transportContract(set: StartServer, { afterTooBig }: Capabilities): void {
  const open = (options: ServerOptions = {}): Promise<TestServer> =>
    set({ tools: [echo, greet], ...options });
  async function joined({ connect }: TestServer): Promise<RawClient> {
    const client = await connect();
    await client.initialize();
    return client;
  }

  it.each([
    ["nothing at all", ""],
    ["every kind of character", 'a\u0000\n\r\t"\\/é\u2028\u2029\uFEFF中😀\u{10FFFF}'],
    ["2 MiB of characters that take four bytes", "😀".repeat(MIB / 2)],
    ["2 MiB of characters that are cut anywhere", `x${"€é😀".repeat((2 * MIB) / 9)}`],
  ])(verifies("C1", "carries a message in each direction unchanged: %s"), async (_, text) => {
    const client = await joined(await open());

    const answer = await client.callTool("echo", { text });

    expect(textOf(answer) === text).toBe(true);
  });

  it(verifies("C1", "carries a hundred calls at once, each to its own answer"), async () => {
    const client = await joined(await open());

    const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
    const answers = await Promise.all(texts.map((text) => client.callTool("echo", { text })));

    expect(answers.map(textOf)).toEqual(texts);
  });

  it(verifies("C1", "carries a question to the client and its answer back"), async () => {
    const client = await joined(await open());
    const id = client.begin("tools/call", callOf("greet"));

    await client.accept(await client.receive(), "Ada");

    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
  });

  it(verifies(["C1", "B8"], "closes the session when the caller hangs up"), async () => {
    const witness = new Witness();
    const stage = await open({ tools: [witnessed(witness)] });
    const client = await joined(stage);
    client.begin("tools/call", callOf("witnessed"));
    await client.receive();

    await client.close();
    await witness.afterEnd();

    expect(stage.server.sessions).toBe(0);
  });

  it(verifies("C1", "never lets one client's messages reach another"), async () => {
    const on = await open();
    const names = ["Ada", "Bob", "Cleo", "Dan"];
    const clients = await Promise.all(names.map(() => joined(on)));

    await Promise.all(
      clients.map(async (client, index) => {
        for (let round = 0; round < 5; round++) {
          const id = client.begin("tools/call", callOf("greet"));
          await client.accept(await client.receive(), names[index]);
          expect(textOf(await client.answerTo(id))).toBe(`Hello, ${names[index]}`);
        }
      }),
    );

    for (const [index, client] of clients.entries()) {
      const said = JSON.stringify(client.messages.all);
      expect(names.filter((name) => said.includes(name))).toEqual([names[index]]);
      // The handshake, and for each round a question and a result.
      expect(client.messages.all).toHaveLength(1 + 2 * 5);
    }
  });

  it(verifies("C1", "lets bad input cost its sender an error and nobody else anything"), async () => {
    const on = await open();
    const good = await joined(on);
    const bad = await joined(on);
    const id = good.begin("tools/call", callOf("greet"));
    const question = await good.receive();

    for (const text of ["nonsense", "[", "{}", "[]", '{"jsonrpc":"2.0","id":1,"method":5}']) {
      await bad.sendText(text);
      expect((await bad.messages.next()).error?.code).toBeLessThan(-32000);
    }

    await good.accept(question, "Ada");
    expect(textOf(await good.answerTo(id))).toBe("Hello, Ada");
    expect(await bad.request("ping")).toMatchObject({ result: {} });
    expect(good.messages.all).toHaveLength(3);
  });

  it(verifies("C1", `refuses a message that is too big; the line ${afterTooBig}`), async () => {
    const stage = await open({ limits: { messageBytes: 1000 } });
    const client = await joined(stage);
    const other = await joined(stage);
    const big = { jsonrpc: "2.0", id: 7, method: "ping", params: { text: "x".repeat(3000) } };

    await client.send(big);

    const refusal = await client.refusal().catch(() => undefined);
    const next = await client.request("ping").catch(() => undefined);
    expect(refusal?.error?.message).toBe(
      afterTooBig === "lives" ? "A message has at most 1000 bytes." : undefined,
    );
    expect(next === undefined ? "closes" : "lives").toBe(afterTooBig);
    expect(await other.request("ping")).toMatchObject({ result: {} });
  });

  it(verifies("B8", "cancels open questions and answers their calls when the server closes"), async () => {
    const witness = new Witness();
    const stage = await open({ tools: [witnessed(witness)] });
    const client = await joined(stage);
    const id = client.begin("tools/call", callOf("witnessed"));
    const question = await client.receive();

    await stage.server.close();

    expect(witness.ended).toEqual(["witnessed"]);
    expect(stage.server.sessions).toBe(0);
    const cancelled = await client.receive("notifications/cancelled");
    expect(cancelled.params?.["requestId"]).toBe(question.id);
    const answer: Message = await client.answerTo(id);
    expect(answer.result?.["isError"]).toBe(true);
  });
}
