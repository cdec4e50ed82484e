/** What is written down of every question. */
import { ask, tool, type Answerer, type Reply } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { allow, type AuditEntry, type ServerOptions } from "../../src/index.ts";
import { bearer, tokens } from "../auth/callers.ts";
import { alone, eras, linkIn, runIn } from "../handover/model.ts";
import { answerPage, uploadTo } from "../secrets/person.ts";
import { login, upload } from "../secrets/tools.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import { StatelessClient, callOf, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import { greet } from "../wire/tools.ts";

const travel = tool({
  name: "travel",
  input: { type: "object", properties: { city: { type: "string" }, days: { type: "number", default: 2 } } },
  async *run() {
    const sure = yield* ask.confirm("Really?", { id: "sure" });
    return `${sure} ${yield* ask.number("How many?", { max: 9, retries: 1 })}`;
  },
});

async function audited(
  options: ServerOptions,
): Promise<{ readonly url: string; readonly entries: AuditEntry[] }> {
  const entries: AuditEntry[] = [];
  const { url } = await listening({ audit: (entry) => void entries.push(entry), ...options });
  return { url, entries };
}

describe("an audit", () => {
  it("says who was asked what by which tool with which input, when, and what was said: on a session", async () => {
    const clock = countingClock();
    const before = clock.now();
    const { url, entries } = await audited({ tools: [travel], clock });
    const client = await overWebSocket(url);
    await client.initialize();
    const id = client.begin("tools/call", callOf("travel", { city: "Rome" }));
    await client.reply(await client.receive(), { action: "decline" });
    await client.accept(await client.receive(), 10);
    await client.accept(await client.receive(), 9);
    await client.answerTo(id);

    const [first, ...others] = entries;
    expect(first).toEqual({
      at: expect.any(Number),
      run: expect.any(String),
      tool: "travel",
      input: { city: "Rome", days: 2 },
      principal: "",
      client: { name: "raw", version: "1" },
      question: { key: "sure", attempt: 1, kind: "confirm", message: "Really?" },
      action: "decline",
    });
    expect(first?.at).toBeGreaterThanOrEqual(before);
    expect(others.map(({ question: { key, attempt }, answer }) => [key, attempt, answer])).toEqual([
      ["ask-2", 1, 10],
      ["ask-2", 2, 9],
    ]);
    expect(new Set(entries.map(({ run }) => run)).size).toBe(1);
  });

  it("says what the input was, whatever the body has done with it since", async () => {
    const careless = tool({
      name: "careless",
      input: { type: "object", properties: { cities: { type: "array", items: { type: "string" } } } },
      async *run({ cities = [] }) {
        cities.pop();
        return yield* ask.text("Name?");
      },
    });
    const { url, entries } = await audited({ tools: [careless] });
    const client = new StatelessClient(overStatelessHttp(url));

    await client.accept(await client.call("careless", { cities: ["Rome"] }), { "ask-1": "Ada" });

    expect(entries).toMatchObject([{ input: { cities: ["Rome"] } }]);
  });

  it("says whose call it was, over several requests", async () => {
    const { url, entries } = await audited({ tools: [greet], tokens });
    const client = new StatelessClient(overStatelessHttp(url, bearer(tokens.ada)));

    await client.accept(await client.call("greet"), { "ask-1": "Ada" });

    expect(entries).toMatchObject([{ principal: "ada", tool: "greet", action: "accept", answer: "Ada" }]);
  });

  it("says which answerer has answered", async () => {
    const { url, entries } = await audited({ tools: [greet], answerers: [allow([{ answer: "Ada" }])] });

    expect((await (await alone(url)).call("greet")).text).toBe("Hello, Ada");

    expect(entries).toMatchObject([{ action: "accept", answer: "Ada", answerer: "allowed answers" }]);
  });

  it(verifies("B1", "says nothing of what an answerer has said in vain"), async () => {
    const wipe = tool({
      name: "wipe",
      async *run() {
        return `${yield* ask.confirm("Wipe?", { dangerous: true })}`;
      },
    });
    const answerers: readonly Answerer[] = [
      { name: "eager", denyOnly: true, answer: () => ({ action: "accept", value: true }) },
      // What no type allows, and JavaScript does.
      { name: "odd", denyOnly: true, answer: () => ({ action: "perhaps" }) as never },
    ];
    const { url, entries } = await audited({ tools: [wipe], answerers, report: () => {} });
    const client = new StatelessClient(overStatelessHttp(url));

    await client.retry(await client.call("wipe"), { "ask-1": { action: "decline" } });

    expect(entries.map(({ action, answerer }) => [action, answerer])).toEqual([["decline", undefined]]);
  });

  it(verifies("B1", "says that a question expired while an answerer thought about it"), async () => {
    const clock = testClock();
    const gate = new Gate();
    const slow: Answerer = { name: "slow", answer: () => gate.passed().then(() => undefined) };
    const { url, entries } = await audited({ tools: [greet], answerers: [slow], clock });
    const calling = (await alone(url)).call("greet");
    await gate.reached;
    await clock.advance("5m");

    expect((await calling).text).toContain("in time");
    expect(entries.map(({ action, answerer }) => [action, answerer])).toEqual([["timeout", undefined]]);
  });

  it(
    verifies("B5", "changes nothing of who may answer: an answerer of a class is asked as ever"),
    async () => {
      class Chief implements Answerer {
        get name(): string {
          return "chief";
        }
        get priority(): number {
          return 1;
        }
        answer(): Reply {
          return { action: "accept", value: "Ada" };
        }
      }
      const answerers = [allow([{ answer: "Bob" }]), new Chief()];
      const { url, entries } = await audited({ tools: [greet], answerers });

      expect((await (await alone(url)).call("greet")).text).toBe("Hello, Ada");
      expect(entries).toMatchObject([{ answer: "Ada", answerer: "chief" }]);
    },
  );

  it(verifies("B1", "says what was no answer: expired, not supported"), async () => {
    const clock = countingClock();
    const { url, entries } = await audited({ tools: [greet], clock });
    const client = new StatelessClient(overStatelessHttp(url));

    const asked = await client.call("greet");
    clock.leap(300_000);
    await client.retry(asked, {});
    await (await alone(url)).call("greet");

    expect(entries.map(({ action }) => action)).toEqual(["timeout", "unsupported"]);
  });

  it(
    verifies("B6", "says that a secret and a file were given on a page, and never what they are"),
    async () => {
      const { url, entries } = await audited({ tools: [login, upload] });
      const client = new StatelessClient(overStatelessHttp(url));
      const consent = { "ask-1": { action: "accept" } };
      const [secret, file] = [await client.call("login"), await client.call("upload")];
      await answerPage(String(questionsIn(secret)["ask-1"]?.params?.["url"]), "correct horse");
      await uploadTo(String(questionsIn(file)["ask-1"]?.params?.["url"]), "me.txt", "a face");
      await client.retry(secret, consent);
      const done = await client.retry(file, consent);

      expect(entries.map(({ question, action, via }) => [question.kind, action, via])).toEqual([
        ["secret", "accept", "page"],
        ["file", "accept", "page"],
      ]);
      const { path } = JSON.parse(textOf(done.answer)) as { readonly path: string };
      for (const hidden of ["correct horse", "a face", path])
        expect(JSON.stringify(entries)).not.toContain(hidden);
    },
  );

  it.each(Object.keys(eras) as (keyof typeof eras)[])(
    "marks what came in the words of a model, and what came on a page (%s)",
    async (era) => {
      const entries: AuditEntry[] = [];
      const paged = { ...greet, name: "paged", whenUnsupported: "page" } as const;
      const relayed = { ...greet, name: "relayed", whenUnsupported: "relay" } as const;
      const { model } = await eras[era]({
        tools: [paged, relayed],
        audit: (entry) => void entries.push(entry),
      });
      const { call } = await model();
      const [page, relay] = [await call("paged"), await call("relayed")];

      await call("photon_answer", { run: runIn(relay), answer: 7 });
      await call("photon_answer", { run: runIn(relay), answer: "Ada" });
      await answerPage(linkIn(page), "Bob");
      await call("photon_continue", { run: runIn(page) });

      expect(entries.map(({ tool: asker, via, answer }) => [asker, via, answer])).toEqual([
        ["relayed", "relay", "Ada"],
        ["paged", "page", "Bob"],
      ]);
    },
  );

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("ENOSPC: /var/log/audit.jsonl");
      },
    ],
    ["rejects", () => Promise.reject(new Error("ENOSPC: /var/log/audit.jsonl"))],
  ])("that %s is reported, for each entry, and the call goes on", async (_, audit) => {
    const reported: unknown[] = [];
    const { url } = await listening({
      tools: [greet],
      audit,
      report: (error) => void reported.push(error),
    });
    const client = new StatelessClient(overStatelessHttp(url));

    const done = await client.accept(await client.call("greet"), { "ask-1": "Ada" });

    expect(textOf(done.answer)).toBe("Hello, Ada");
    expect(reported.map(String)).toEqual(["Error: ENOSPC: /var/log/audit.jsonl"]);
  });
});
