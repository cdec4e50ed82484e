/** What is open stays open: over a reload, a dropped connection, and a server that is started again. */
import { randomBytes } from "node:crypto";
import { ask, emit, step, tool } from "@photon/core";
import { expect, it } from "vitest";
import { Gate } from "../../server/test/wire/gate.ts";
import { Cable } from "./cable.ts";
import { stage } from "./stage.ts";
import { ended, happened, until } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const greeter = tool({
  name: "greeter",
  description: "Greets",
  async *run() {
    yield emit.status("Before");
    const name = yield* ask.text("Who is there?");
    return `Hello, ${name}.`;
  },
});

/** Asks, works behind a gate, and can be gone on with elsewhere. */
const worker = (gate: Gate, durable: boolean) =>
  tool({
    name: "worker",
    description: "Works",
    durable,
    async *run(_input: unknown, { signal }) {
      const name = yield* ask.text("Who?");
      const done = yield* step("work", async () => {
        await gate.passed(signal);
        signal.throwIfAborted();
        return "Worked";
      });
      return `${done} for ${name}.`;
    },
  });

const oneRun = (runs: readonly { readonly id: string }[]): boolean => runs.length === 1;

onEveryWay(
  (how) => {
    it("has an open question again after a reload, with what was told before, and takes the answer", async () => {
      const { open } = await stage({ tools: [greeter] });
      const tab = open(how);
      await tab.call("greeter");
      const before = await tab.question();

      tab.reload();
      const after = await tab.question();
      const [run] = tab.desk.runs.value;
      if (run === undefined) throw new Error("The run is gone.");
      expect(after).toEqual(before);
      expect(happened(run, "status", "asked")).toMatchObject([{ message: "Before" }, { kind: "asked" }]);
      tab.desk.answer(after, { action: "accept", content: { value: "Ada" } });

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Hello, Ada.");
      tab.reload();
      expect(tab.desk.runs.value).toEqual([]);
    });

    it("goes on with a durable tool at a server that was started again", async () => {
      const keys = [randomBytes(32).toString("base64")];
      const gate = Gate.open();
      const first = await stage({ tools: [worker(gate, true)], keys });
      const tab = first.open(how);
      const run = await tab.call("worker");
      const question = await tab.question();

      await first.server.close();
      await until(tab.desk.connection, ({ state }) => state === "lost");
      await stage({ tools: [worker(gate, true)], keys }, first.port);
      await tab.isOpen();
      tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Worked for Ada.");
    });

    it("sends what was answered while there was no connection when there is one again", async () => {
      const keys = [randomBytes(32).toString("base64")];
      const gate = Gate.open();
      const first = await stage({ tools: [worker(gate, true)], keys });
      const tab = first.open(how);
      const run = await tab.call("worker");
      const question = await tab.question();
      await first.server.close();
      await until(tab.desk.connection, ({ state }) => state === "lost");

      tab.desk.answer(question, { action: "accept", content: { value: "Grace Hopper" } });
      expect(run.state.value).toMatchObject({ state: "waiting" });
      expect(tab.desk.questions.value).toMatchObject([{ waitsFor: "server" }]);
      expect(tab.storage.text).toContain("Who?");
      expect(tab.storage.text).not.toContain("Grace Hopper");
      await stage({ tools: [worker(gate, true)], keys }, first.port);

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Worked for Grace Hopper.");
    });

    it("sends an answer again that a reload cut off, where the tool can be gone on with", async () => {
      const gate = new Gate();
      const { open } = await stage({ tools: [worker(gate, true)] });
      const tab = open(how);
      await tab.call("worker");
      await tab.accept("Ada");
      await gate.reached;

      tab.reload();
      gate.open();
      const [run] = await until(tab.desk.runs, oneRun);
      if (run === undefined) throw new Error("The run is gone.");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Worked for Ada.");
    });

    it("says what the server says of an answer that was cut off, where the tool cannot be gone on with", async () => {
      const gate = new Gate();
      const { open } = await stage({ tools: [worker(gate, false)] });
      const tab = open(how);
      await tab.call("worker");
      await tab.accept("Ada");
      await gate.reached;

      tab.reload();
      const [run] = await until(tab.desk.runs, oneRun);
      if (run === undefined) throw new Error("The run is gone.");

      expect(await ended(run)).toMatchObject({ state: "failed" });
      expect(happened(run, "error")).toMatchObject([{ code: -32602 }]);
    });

    it("says that a call is over that a reload cut off before it asked anything", async () => {
      const gate = new Gate();
      const { open } = await stage({ tools: [slow(gate)] });
      const tab = open(how);
      await tab.call("slow");
      await gate.reached;

      tab.reload();
      const [run] = await until(tab.desk.runs, oneRun);

      expect(run?.state.value).toMatchObject({
        state: "cancelled",
        why: expect.stringContaining("reloaded") as unknown,
      });
    });

    it("says that a call is over whose connection was lost before it asked anything", async () => {
      const gate = new Gate();
      const { open, port } = await stage({ tools: [slow(gate)] });
      const cable = await Cable.to(port);
      const tab = open(how, {}, cable.url);
      const run = await tab.call("slow");
      await gate.reached;

      cable.shake();

      expect(await ended(run)).toEqual({
        state: "cancelled",
        why: "The connection was lost while it worked.",
      });
    });

    it("keeps a question open while the connection is lost, and takes the answer when it is back", async () => {
      const { open, port } = await stage({ tools: [greeter] });
      const cable = await Cable.to(port);
      const tab = open(how, {}, cable.url);
      const run = await tab.call("greeter");
      const question = await tab.question();

      await cable.cut();
      await until(tab.desk.connection, ({ state }) => state === "lost");
      expect(tab.desk.questions.value).toEqual([question]);
      tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });
      await cable.mend();

      expect(await ended(run)).toEqual({ state: "done" });
    });

    it("goes on where an answer was cut off on its way, if the tool can be gone on with", async () => {
      const gate = new Gate();
      const { open, port } = await stage({ tools: [worker(gate, true)] });
      const cable = await Cable.to(port);
      const tab = open(how, {}, cable.url);
      const run = await tab.call("worker");
      await tab.accept("Ada");
      await gate.reached;

      cable.shake();
      await until(run.state, ({ state }) => state === "waiting");
      gate.open();

      expect(await ended(run)).toEqual({ state: "done" });
      expect(JSON.stringify(happened(run, "result"))).toContain("Worked for Ada.");
    });

    it("says what the server says where nobody knows the question any more", async () => {
      const first = await stage({ tools: [greeter] });
      const tab = first.open(how);
      const run = await tab.call("greeter");
      const question = await tab.question();

      await first.server.close();
      await until(tab.desk.connection, ({ state }) => state === "lost");
      await stage({ tools: [greeter] }, first.port);
      await tab.isOpen();
      tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });

      expect(await ended(run)).toEqual({ state: "failed", problem: "Invalid or expired requestState." });
      expect(happened(run, "error")).toMatchObject([{ code: -32602 }]);
    });
  },
  ["2026-07-28"],
);

const careful = (closed: () => void) =>
  tool({
    name: "careful",
    description: "Cleans up",
    async *run() {
      try {
        return yield* ask.text("Who?");
      } finally {
        closed();
      }
    },
  });

const slow = (gate: Gate) =>
  tool({
    name: "slow",
    description: "Works",
    async *run(_input: unknown, { signal }) {
      yield emit.status("Begun");
      await gate.passed(signal);
      signal.throwIfAborted();
      return "Done";
    },
  });

onEveryWay(
  (how) => {
    it("shows after a reload that the calls of the session are over, and why", async () => {
      const { open } = await stage({ tools: [greeter] });
      const tab = open(how);
      await tab.call("greeter");
      await tab.question();

      tab.reload();
      const [run] = await until(tab.desk.runs, oneRun);

      expect(run?.state.value).toMatchObject({
        state: "cancelled",
        why: "The page was reloaded, and a call over 2025-11-25 ends with its connection.",
      });
      expect(tab.desk.questions.value).toEqual([]);
      tab.reload();
      expect(tab.desk.runs.value).toEqual([]);
    });

    it("ends its calls at the server, too, when the page goes", async () => {
      const closed = new Gate();
      const { open } = await stage({ tools: [careful(() => void closed.passed())] });
      const tab = open(how);
      await tab.call("careful");
      await tab.question();

      tab.reload();

      await expect(closed.reached).resolves.toBeUndefined();
    });

    it("ends its calls when the server goes, and takes their questions back", async () => {
      const { open, server } = await stage({ tools: [greeter] });
      const tab = open(how);
      const run = await tab.call("greeter");
      await tab.question();

      await server.close();

      await ended(run);
      expect(tab.desk.questions.value).toEqual([]);
    });

    it("ends its calls when the connection is lost over WebSocket; over HTTP it takes them up again", async () => {
      const gate = new Gate();
      const { open, port } = await stage({ tools: [slow(gate)] });
      const cable = await Cable.to(port);
      const tab = open(how, {}, cable.url);
      const run = await tab.call("slow");
      await until(run.timeline, (entries) => entries.length === 1);

      cable.shake();
      gate.open();

      expect(await ended(run)).toMatchObject({ state: how.way === "http" ? "done" : "cancelled" });
      expect(happened(run, "status")).toHaveLength(1);
    });
  },
  ["2025-11-25"],
);
