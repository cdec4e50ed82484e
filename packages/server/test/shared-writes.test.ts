import { PassThrough, Writable } from "node:stream";
import { emit, tool, type Tool } from "@photon/core";
import { expect, it, vi } from "vitest";
import { createServer } from "../src/server.ts";
import { resolveSettings } from "../src/settings.ts";
import { serveStdio } from "../src/transports/stdio.ts";
import { callOf } from "../../../test/clients/raw-client.ts";

const quick = tool({
  name: "quick",
  async *run() {
    return "done";
  },
});

/** Whoever sends several messages in one write, and sees each write of the server's. */
class Client {
  readonly #input = new PassThrough();
  /** What was written at once, as its lines. */
  readonly written: (readonly string[])[] = [];

  constructor(tools: readonly Tool<never>[]) {
    const note = (text: string): void => void this.written.push(text.trimEnd().split("\n"));
    const output = new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        note(text);
        done();
      },
      writev(chunks, done) {
        note(chunks.map(({ chunk }) => String(chunk)).join(""));
        done();
      },
    });
    serveStdio(createServer({ tools }).open, this.#input, output, resolveSettings({}));
    const params = { protocolVersion: "2025-11-25", capabilities: {} };
    this.send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  }

  send(...messages: readonly object[]): void {
    this.#input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** Settles when so many messages have come; gives back the last that were written at once. */
  async received(count: number): Promise<readonly string[] | undefined> {
    await vi.waitUntil(() => this.written.flat().length === count);
    return this.written.at(-1);
  }
}

const call = (id: number, name: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: callOf(name),
});

it("writes the answers of one turn at once", async () => {
  const client = new Client([quick]);
  client.send(call(1, "quick"));
  await client.received(2);

  client.send(call(2, "quick"), call(3, "quick"), call(4, "quick"));

  expect(await client.received(5)).toHaveLength(3);
});

it("writes at once what several bodies tell in one turn", async () => {
  const teller = tool({
    name: "teller",
    async *run() {
      yield emit.log("warning", "going on");
      return "done";
    },
  });
  const client = new Client([quick, teller]);
  client.send(call(1, "quick"));
  await client.received(2);

  client.send(call(2, "teller"), call(3, "teller"), call(4, "teller"));
  await client.received(8);

  expect(client.written.filter((lines) => lines.join("\n").includes("going on"))).toHaveLength(1);
});

it("writes what a body tells before the body goes on: it may take the process down", async () => {
  let seen: readonly string[] = [];
  const teller = tool({
    name: "teller",
    async *run() {
      yield emit.log("warning", "going down");
      seen = client.written.flat();
      return "done";
    },
  });
  const client = new Client([quick, teller]);

  client.send(call(1, "quick"), call(2, "teller"));
  await client.received(4);

  expect(seen.join("\n")).toContain("going down");
});
