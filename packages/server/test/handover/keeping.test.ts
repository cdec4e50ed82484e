/** Calls that were handed over: whose they are, how long they are kept, and how they end. */
import { existsSync } from "node:fs";
import { ask, InvalidDefinition, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer } from "../../src/index.ts";
import { answerPage, statusAt, uploadTo } from "../secrets/person.ts";
import { login, upload } from "../secrets/tools.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp, overWebSocket } from "../../../../test/clients/carriers.ts";
import { StatelessClient, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import { greet, Witness, witnessed } from "../wire/tools.ts";
import { alone, eras, linkIn, onSession, pageAwaited, runIn, saidIn } from "./model.ts";

const MINUTE = 60_000;

describe.each(Object.entries(eras))("a call that was handed over in %s", (_, meet) => {
  it("is gone on with by another connection, in either era", async () => {
    const { model, url } = await meet({ tools: [greet], whenUnsupported: "relay" });
    const runs = [runIn(await (await model()).call("greet")), runIn(await (await model()).call("greet"))];
    const [session, modern] = [await onSession(url), await alone(url)];

    const one = await session.call("photon_answer", { run: runs[0], answer: "Ada" });
    const two = await modern.call("photon_answer", { run: runs[1], answer: "Bob" });

    expect([one.text, two.text]).toEqual(["Hello, Ada", "Hello, Bob"]);
  });

  it("is closed when nobody came back for it: its body ends, its page is gone", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { model, server } = await meet({ tools: [witnessed(witness)], whenUnsupported: "page", clock });
    const { call } = await model();
    const before = clock.running;
    const handed = await call("witnessed");
    expect(server.parked).toBe(1);

    clock.leap(15 * MINUTE);
    await witness.afterEnd();
    await expect.poll(() => server.parked).toBe(0);

    expect(await statusAt(linkIn(handed))).toBe(410);
    expect((await call("photon_continue", { run: runIn(handed) })).text).toContain("No call waits");
    expect(clock.running).toBe(before);
  });

  it(verifies("B2", "is told that it was too late, for ten minutes after its question's time"), async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [greet], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("greet");

    clock.leap(14 * MINUTE);
    const late = await call("photon_continue", { run: runIn(handed) });

    expect(late).toMatchObject({ isError: true, text: 'No answer to "Name?" (ask-1) arrived in time.' });
  });

  it("is closed with the server, and waited for", async () => {
    const witness = new Witness();
    const { model, server } = await meet({ tools: [witnessed(witness)], whenUnsupported: "page" });
    await (await model()).call("witnessed");

    await server.close();

    expect(witness.ended).toEqual(["witnessed"]);
    expect(server.parked).toBe(0);
  });

  it("does not hold up a server that is closed while somebody waits for its page", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { model, server } = await meet({ tools: [witnessed(witness)], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("witnessed");
    const waiting = call("photon_continue", { run: runIn(handed) }).catch(() => {});
    await pageAwaited(clock);

    await server.close();

    expect(witness.ended).toEqual(["witnessed"]);
    expect(clock.running).toBe(0);
    await waiting;
  });

  it("has one of so many places: who asks for one too many is refused, and its body ends", async () => {
    const witness = new Witness();
    const limits = { parkedPerPrincipal: 1 };
    const { model } = await meet({ tools: [witnessed(witness)], whenUnsupported: "relay", limits });
    const { call } = await model();
    const first = await call("witnessed");

    const refused = await call("witnessed");
    const done = await call("photon_answer", { run: runIn(first), answer: "Ada" });

    expect(refused.wire.error).toMatchObject({ code: -31001 });
    expect(refused.text).toContain("limit of calls that wait for answers (1)");
    expect(done.text).toBe("Hello, Ada");
  });

  it("goes on once, where two ask for it at the same time", async () => {
    const clock = countingClock();
    const { model } = await meet({ tools: [greet], whenUnsupported: "page", clock });
    const { call } = await model();
    const handed = await call("greet");
    const two = [1, 2].map(() => call("photon_continue", { run: runIn(handed) }));
    await pageAwaited(clock, 2);

    await answerPage(linkIn(handed), "Ada");
    const texts = (await Promise.all(two)).map(({ text }) => text).toSorted();

    expect(texts).toEqual([expect.stringContaining("Another call works on that run"), "Hello, Ada"]);
  });

  it("keeps a file of an earlier question until it is over, whichever call the question came with", async () => {
    const sending = tool({
      name: "sending",
      async *run() {
        const file = yield* ask.file("Photo?");
        const path = "path" in file ? file.path : "";
        const name = yield* ask.text("Name?");
        return { path, wasThere: existsSync(path), name };
      },
    });
    const { model } = await meet({ tools: [sending], whenUnsupported: "page" });
    const { call } = await model();

    const one = await call("sending");
    await uploadTo(linkIn(one), "me.txt", "a face");
    const two = await call("photon_continue", { run: runIn(one) });
    await answerPage(linkIn(two), "Ada");
    const done = await call("photon_continue", { run: runIn(two) });

    const { path, wasThere, name } = JSON.parse(done.text) as {
      path: string;
      wasThere: boolean;
      name: string;
    };
    expect({ wasThere, name }).toEqual({ wasThere: true, name: "Ada" });
    await expect.poll(() => existsSync(path)).toBe(false);
  });
});

describe("whoever began a call", () => {
  it("is the only one for whom it waits", async () => {
    const tokens = { ada: "the-token-of-ada-lovelace", eve: "the-token-of-eve-the-other" };
    const { url } = await listening({ tools: [greet], whenUnsupported: "relay", tokens });
    const as = (token: string): StatelessClient =>
      new StatelessClient(overStatelessHttp(url, { authorization: `Bearer ${token}` }), {});
    const handed = await as(tokens.ada).call("greet");
    const run = runIn(saidIn(handed.answer));

    const stolen = await as(tokens.eve).call("photon_answer", { run, answer: "Eve" });
    const done = await as(tokens.ada).call("photon_answer", { run, answer: "Ada" });

    expect(textOf(stolen.answer)).toContain("No call waits under that run");
    expect(textOf(done.answer)).toBe("Hello, Ada");
  });
});

describe("a client that can show some questions", () => {
  it("is handed what it cannot, and asked what it can, by the call that goes on", async () => {
    const mixed = tool({
      name: "mixed",
      async *run() {
        const password = yield* ask.secret("Password?");
        return `${password.reveal().length} ${yield* ask.text("Name?")}`;
      },
    });
    const { url } = await listening({ tools: [mixed], whenUnsupported: "page" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: { form: {} } });
    const handed = saidIn(await client.callTool("mixed"));
    const link = linkIn(handed);
    const run = runIn(handed);
    await answerPage(link, "correct horse");

    const call = client.begin("tools/call", callOf("photon_continue", { run }));
    await client.accept(await client.receive(), "Ada");

    expect(textOf(await client.answerTo(call))).toBe("13 Ada");
  });

  it("is asked in one call at a time: another is told so", async () => {
    const mixed = tool({
      name: "mixed",
      async *run() {
        const password = yield* ask.secret("Password?");
        return `${password.reveal().length} ${yield* ask.text("Name?")}`;
      },
    });
    const { url } = await listening({ tools: [mixed], whenUnsupported: "page" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: { form: {} } });
    const handed = saidIn(await client.callTool("mixed"));
    const run = runIn(handed);
    await answerPage(linkIn(handed), "correct horse");
    const first = client.begin("tools/call", callOf("photon_continue", { run }));
    const name = await client.receive();

    const second = await (await onSession(url)).call("photon_continue", { run });
    await client.accept(name, "Ada");

    expect(second).toMatchObject({ isError: true, text: expect.stringContaining("its client is asking") });
    expect(textOf(await client.answerTo(first))).toBe("13 Ada");
  });

  it.each(["page", "relay"] as const)(
    "is sent to pages as ever, and they are gone with the call (%s)",
    async (whenUnsupported) => {
      const { url } = await listening({ tools: [login, upload], whenUnsupported });
      const client = await overWebSocket(url);
      await client.initialize();
      const call = client.begin("tools/call", callOf("upload"));
      const question = await client.receive();
      await client.reply(question, { action: "accept" });
      await uploadTo(String(question.params?.["url"]), "me.txt", "a face");

      const { path = "" } = JSON.parse(textOf(await client.answerTo(call))) as Record<string, string>;

      await expect.poll(() => existsSync(path)).toBe(false);
    },
  );
});

describe("a call that goes on for another", () => {
  it("is not lost when that one is cancelled while it waits for the page", async () => {
    const clock = countingClock();
    const { url } = await listening({ tools: [greet], whenUnsupported: "page", clock });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", {});
    const handed = saidIn(await client.callTool("greet"));
    const link = linkIn(handed);
    const run = runIn(handed);
    const waiting = client.begin("tools/call", callOf("photon_continue", { run }));
    await pageAwaited(clock);

    await client.notify("notifications/cancelled", { requestId: waiting });
    await answerPage(link, "Ada");
    await client.request("ping");
    const done = await client.callTool("photon_continue", { run });

    expect(textOf(done)).toBe("Hello, Ada");
  });

  it("is not lost when that one is left, in 2026-07-28", async () => {
    const clock = countingClock();
    const { url } = await listening({ tools: [greet], whenUnsupported: "page", clock });
    const client = new StatelessClient(overStatelessHttp(url), {});
    const handed = saidIn((await client.call("greet")).answer);
    const link = linkIn(handed);
    const run = runIn(handed);
    const waiting = client.begin("tools/call", callOf("photon_continue", { run }));
    await pageAwaited(clock);

    await waiting.leave();
    await answerPage(link, "Ada");
    const done = await client.call("photon_continue", { run });

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });

  it("is closed when its body works for the other one, and that is cancelled", async () => {
    const witness = new Witness();
    const working = tool({
      name: "working",
      async *run(__, { signal }) {
        try {
          yield* ask.text("Name?");
          witness.begun += 1;
          await new Gate().passed(signal);
        } finally {
          witness.end("working");
        }
      },
    });
    const { url } = await listening({ tools: [working], whenUnsupported: "relay" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", {});
    const run = runIn(saidIn(await client.callTool("working")));
    const call = client.begin("tools/call", callOf("photon_answer", { run, answer: "Ada" }));
    await expect.poll(() => witness.begun).toBe(1);

    await client.notify("notifications/cancelled", { requestId: call });

    await witness.afterEnd();
  });
});

describe("the names of the two tools", () => {
  it.each(["photon_continue", "photon_answer"])(
    "are taken where calls are handed over: %s is refused",
    (name) => {
      const own = { ...greet, name };

      expect(() => createServer({ tools: [own], whenUnsupported: "page" })).toThrow(InvalidDefinition);
      expect(() => createServer({ tools: [own, { ...greet, whenUnsupported: "relay" }] })).toThrow(name);
      expect(() => createServer({ tools: [own] })).not.toThrow();
    },
  );

  it("are taken later as well: nothing is replaced then", async () => {
    const { server, url } = await listening({ tools: [greet], whenUnsupported: "page" });
    const own = { ...greet, name: "photon_answer" };

    expect(() => server.replace({ tools: [own] })).toThrow(InvalidDefinition);

    expect(await (await onSession(url)).tools()).toEqual(["greet", "photon_continue", "photon_answer"]);
  });
});
