/** Secrets and files in 2026-07-28: the client's retry waits for the page, or gets the question again. */
import { existsSync } from "node:fs";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { type Exchange, codeIn, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { Witness } from "../wire/tools.ts";
import { answerPage, declinePage, statusAt, uploadTo } from "./person.ts";
import { cautious, login, upload } from "./tools.ts";

const MINUTE = 60_000;
/** More than a request waits for a page. */
const PATIENCE = 45_000;
const urlIn = (received: Exchange, key = "ask-1"): string =>
  String(questionsIn(received)[key]?.params?.["url"]);
const consent = { "ask-1": { action: "accept" } };

const both = tool({
  name: "both",
  async *run() {
    const { one, two } = yield* ask.all({ one: ask.secret("One?"), two: ask.secret("Two?") });
    return `${one.reveal().length} ${two.reveal().length}`;
  },
});

describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
  it(
    verifies(["A3", "B6", "C4", "C6"], "a secret is answered on its page, and taken up by the retry"),
    async () => {
      const client = await (await set({ tools: [login] })).connect();

      const asked = await client.call("login");
      await answerPage(urlIn(asked), "correct horse");
      const done = await client.retry(asked, consent);

      expect(questionsIn(asked)["ask-1"]).toMatchObject({
        method: "elicitation/create",
        params: { mode: "url", message: "Password?" },
      });
      expect(textOf(done.answer)).toBe("true 13 [secret]");
      expect(JSON.stringify([asked, done])).not.toContain("correct horse");
    },
  );

  it(verifies("B6", "the retry waits for the page"), async () => {
    const client = await (await set({ tools: [login] })).connect();
    const asked = await client.call("login");

    const retry = client.beginRetry(asked, consent);
    await answerPage(urlIn(asked), "correct horse");

    expect(textOf((await retry.received).answer)).toBe("true 13 [secret]");
  });

  it(
    verifies(["B6", "D3"], "whoever goes while the retry waits for the page can come back, and be answered"),
    async () => {
      const stage = await set({ tools: [login] });
      const client = await stage.connect();
      const asked = await client.call("login");

      await client.beginRetry(asked, consent).leave();
      await expect.poll(() => stage.server.parked).toBe(1);
      await answerPage(urlIn(asked), "correct horse");
      const done = await client.retry(asked, consent);

      expect(textOf(done.answer)).toBe("true 13 [secret]");
    },
  );

  it(verifies(["B1", "B6"], "whoever has said that they will go to the page can still decline"), async () => {
    const clock = countingClock();
    const client = await (await set({ tools: [login], clock })).connect();
    const asked = await client.call("login");

    const waiting = client.beginRetry(asked, consent);
    await expect.poll(() => clock.runningFor(PATIENCE)).toBe(1);
    const declined = await client.retry(asked, { "ask-1": { action: "decline" } });

    expect(textOf(declined.answer)).toContain("declined");
    expect(textOf((await waiting.received).answer)).toBe("-32600: The request was cancelled.");
  });

  it(
    verifies(["B1", "B6"], "whoever goes while the retry waits for the page can still decline"),
    async () => {
      const stage = await set({ tools: [login] });
      const client = await stage.connect();
      const asked = await client.call("login");

      await client.beginRetry(asked, consent).leave();
      const declined = await client.retry(asked, { "ask-1": { action: "decline" } });

      expect(textOf(declined.answer)).toContain("declined");
      expect(await statusAt(urlIn(asked))).toBe(410);
      await expect.poll(() => stage.server.parked).toBe(0);
    },
  );
});

describe("a file", () => {
  it(
    verifies(["A3", "B6"], "is uploaded to its page, read by the body, and gone when the run has ended"),
    async () => {
      const { client } = await serveStateless({ tools: [upload] });
      const asked = await client.call("upload");
      await uploadTo(urlIn(asked), "me.txt", "a face");

      const done = await client.retry(asked, consent);

      const { name, path, text } = JSON.parse(textOf(done.answer)) as Record<string, string>;
      expect({ name, text }).toEqual({ name: "me.txt", text: "a face" });
      await expect.poll(() => existsSync(path ?? "")).toBe(false);
    },
  );
});

describe("a page of a call that stands alone", () => {
  it(verifies("B1", "is declined by its person"), async () => {
    const { client } = await serveStateless({ tools: [login] });
    const asked = await client.call("login");
    await declinePage(urlIn(asked));

    const done = await client.retry(asked, consent);

    expect(textOf(done.answer)).toContain("declined");
  });

  it.each(["decline", "cancel"])(
    "is gone when its client says no (%s), also where the tool goes on",
    async (action) => {
      const witness = new Witness();
      const { client } = await serveStateless({
        tools: [cautious(witness, () => ask.text("Name?") as never)],
      });
      const asked = await client.call("cautious");

      const next = await client.retry(asked, { "ask-1": { action } });
      const seen = await statusAt(urlIn(asked));
      const done = await client.accept(next, { "ask-2": "Ada" });

      expect(seen).toBe(410);
      expect(textOf(done.answer)).toBe(action);
    },
  );

  it(
    verifies(
      ["B6", "B7"],
      "is asked for again with the same link, where nobody has answered in the time of a request",
    ),
    async () => {
      const clock = countingClock();
      const { client } = await serveStateless({ tools: [login], clock });
      const asked = await client.call("login");

      const retry = client.beginRetry(asked, consent);
      await expect.poll(() => clock.runningFor(PATIENCE)).toBe(1);
      clock.leap(PATIENCE);
      const again = await retry.received;
      await answerPage(urlIn(again), "correct horse");
      const done = await client.retry(again, consent);

      expect(urlIn(again)).toBe(urlIn(asked));
      expect(textOf(done.answer)).toBe("true 13 [secret]");
    },
  );

  it("is one of two, and a request waits for both no longer than for one", async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [both], clock });
    const asked = await client.call("both");
    const yes = { one: { action: "accept" }, two: { action: "accept" } };

    const retry = client.beginRetry(asked, yes);
    await expect.poll(() => clock.runningFor(PATIENCE)).toBe(2);
    clock.leap(PATIENCE);
    const again = await retry.received;
    await answerPage(urlIn(again, "one"), "hunter2");
    await answerPage(urlIn(again, "two"), "correct horse");
    const done = await client.retry(again, yes);

    expect(textOf(done.answer)).toBe("7 13");
  });

  it("is one of two, of which one was answered in the time of a request: the other is asked for again", async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [both], clock });
    const asked = await client.call("both");

    const retry = client.beginRetry(asked, { one: { action: "accept" }, two: { action: "accept" } });
    await answerPage(urlIn(asked, "two"), "correct horse");
    await expect.poll(() => clock.runningFor(PATIENCE)).toBe(1);
    clock.leap(PATIENCE);
    const again = await retry.received;
    await answerPage(urlIn(again, "one"), "hunter2");
    const done = await client.retry(again, { one: { action: "accept" } });

    expect(Object.keys(questionsIn(again))).toEqual(["one"]);
    expect(urlIn(again, "one")).toBe(urlIn(asked, "one"));
    expect(textOf(done.answer)).toBe("7 13");
  });

  it(verifies("B2", "is answered by nobody in time"), async () => {
    const clock = countingClock();
    const { client } = await serveStateless({ tools: [login], clock });
    const asked = await client.call("login");

    clock.leap(5 * MINUTE);
    const late = await client.retry(asked, consent);

    expect(textOf(late.answer)).toBe('No answer to "Password?" (ask-1) arrived in time.');
    expect(await statusAt(urlIn(asked))).toBe(410);
  });

  it(
    verifies(
      "B8",
      "is there for as long as its question, when the client leaves the request that waits for it",
    ),
    async () => {
      const witness = new Witness();
      const clock = countingClock();
      const { client, server } = await serveStateless({ tools: [cautious(witness)], clock });
      const asked = await client.call("cautious");
      const retry = client.beginRetry(asked, consent);
      await expect.poll(() => clock.runningFor(PATIENCE)).toBe(1);

      await retry.leave();

      expect([await statusAt(urlIn(asked)), server.parked, witness.ended]).toEqual([200, 1, []]);
      clock.leap(5 * MINUTE + 10 * MINUTE);
      await witness.afterEnd();
      await expect.poll(() => statusAt(urlIn(asked))).toBe(410);
      await expect.poll(() => server.parked).toBe(0);
    },
  );

  it("does not hold up a server that is closed while a request waits for it", async () => {
    const clock = countingClock();
    const witness = new Witness();
    const { client, server } = await serveStateless({ tools: [cautious(witness)], clock });
    const asked = await client.call("cautious");
    const retry = client.beginRetry(asked, consent);
    await expect.poll(() => clock.runningFor(PATIENCE)).toBe(1);

    await server.close();

    expect(witness.ended).toEqual(["cautious"]);
    expect(clock.running).toBe(0);
    await retry.received.catch(() => {});
  });

  it("is not answered by what comes with the call", async () => {
    const { client } = await serveStateless({ tools: [login] });

    const asked = await client.request("tools/call", {
      name: "login",
      arguments: {},
      inputResponses: { "ask-1": { action: "accept", content: { value: "hunter2hunter2" } } },
    });

    expect(codeIn(asked) ?? urlIn(asked)).toContain("/ask/");
  });

  it("tells nobody its value through the answer of a client: what is sent with consent is dropped", async () => {
    const { client } = await serveStateless({ tools: [login] });
    const asked = await client.call("login");
    await answerPage(urlIn(asked), "correct horse");

    const done = await client.retry(asked, { "ask-1": { action: "accept", content: { value: "no" } } });

    expect(textOf(done.answer)).toBe("true 13 [secret]");
  });
});

describe("a run that is replayed elsewhere", () => {
  it(verifies(["B6", "E5"], "asks for its secret with a link of that process"), async () => {
    const durable = tool({
      name: "login",
      durable: true,
      async *run() {
        return `${(yield* ask.secret("Password?")).reveal().length}`;
      },
    });
    const keys = ["a key that both of the two processes have"];
    const [here, there] = [
      await serveStateless({ tools: [durable], keys }),
      await serveStateless({ tools: [durable], keys }),
    ];
    const asked = await here.client.call("login");

    const again = await there.client.retry(asked, consent);
    await answerPage(urlIn(again), "correct horse");
    const done = await there.client.retry(again, consent);

    expect(urlIn(again).startsWith(there.url)).toBe(true);
    expect(textOf(done.answer)).toBe("13");
    expect(JSON.stringify([asked, again, done])).not.toContain("correct horse");
  });
});

describe("a client without url elicitation", () => {
  it.each(["login", "upload"])(
    verifies(["B4", "B6", "C5"], "is told what is missing: %s is -32021"),
    async (name) => {
      const { client } = await serveStateless({ tools: [login, upload] }, { elicitation: { form: {} } });

      const received = await client.call(name);

      expect(received.answer.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
    },
  );
});
