import type { IncomingMessage } from "node:http";
import { ask } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { stage, type TestServer, type Staging } from "./stage.ts";
import { Visitor, type Seen } from "./visitor.ts";

describe("on loopback, a page", () => {
  it("belongs to the browser that opened it first", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));
    const [first, second] = [new Visitor(), new Visitor()];
    await first.open(url);

    const seen = await second.get(url);
    const pressed = await second.post(url, { do: "open" });

    expect([seen.status, pressed.status]).toEqual([403, 403]);
    expect(seen.text).toContain("Already opened elsewhere");
    expect(seen.text).not.toContain("Who are you?");
    expect((await first.get(url)).text).toContain("Who are you?");
  });

  it("takes no answer from another browser, whatever it knows", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));
    const [first, second] = [new Visitor(), new Visitor()];
    await first.open(url);
    second.proof = first.proof;

    const { status } = await second.answer(url, { f0: "Mallory" });

    expect(status).toBe(403);
  });

  it.each([
    ["a preview of a link", { "user-agent": "Slackbot-LinkExpanding 1.0" }, "GET"],
    ["a look at the headers", {}, "HEAD"],
    [
      "a browser that fetches ahead",
      { "sec-purpose": "prefetch;prerender", "sec-fetch-site": "none" },
      "GET",
    ],
    ["a browser of old that fetches ahead", { purpose: "prefetch" }, "GET"],
  ])("is not opened by %s", async (_, headers, method) => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const looked = await new Visitor().get(url, headers, method);
    const { text } = await new Visitor().open(url);

    expect(looked.status).toBe(200);
    expect(looked.headers["set-cookie"]).toBeUndefined();
    expect(looked.text).not.toContain("Who are you?");
    expect(looked.text).not.toContain("acme");
    expect(text).toContain("Who are you?");
  });

  it("is shown to its browser again that another site leads there, which keeps the cookie back", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));
    const visitor = new Visitor();
    await visitor.open(url);

    const led = await new Visitor().get(url, { "sec-fetch-site": "cross-site" });
    const pressed = await visitor.post(url, { do: "open" });

    expect(led.status).toBe(200);
    expect(led.text).toContain("Continue");
    expect(pressed.status).toBe(303);
    expect(pressed.headers["set-cookie"]).toBeUndefined();
  });

  it("is held by a cookie that no code and no other site sees, for as long as the question is open", async () => {
    const clock = testClock();
    const { open } = await stage({ clock });
    const { url } = await open(ask.text("Who are you?"), { deadline: clock.now() + 60_000 });

    const { headers } = await new Visitor().post(url, { do: "open" });

    expect(headers["set-cookie"]).toEqual([
      expect.stringMatching(
        /^photon-ask-[0-9a-f]{16}=[\w-]{43}; Path=\/ask\/; HttpOnly; SameSite=Strict; Max-Age=60$/,
      ),
    ]);
  });

  it("is held by a cookie of its own name, since all ports of a machine share their cookies", async () => {
    const { open } = await stage();
    const visitor = new Visitor();
    const [one, two] = [await open(ask.text("One?")), await open(ask.text("Two?"))];

    await visitor.open(one.url);
    await visitor.open(two.url);

    expect((await visitor.get(one.url)).text).toContain("One?");
    expect((await visitor.get(two.url)).text).toContain("Two?");
  });

  it("is opened by another name of the machine just as well", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const { text } = await new Visitor().open(url.replace("127.0.0.1", "localhost"));

    expect(text).toContain("Who are you?");
  });

  it("is shown to nobody who comes through a proxy", async () => {
    const { open } = await stage();
    const { url } = await open(ask.text("Who are you?"));

    const seen = await new Visitor().get(url, { "x-forwarded-for": "203.0.113.7" });
    const pressed = await new Visitor().post(url, { do: "open" }, { "x-forwarded-for": "203.0.113.7" });

    expect([seen.status, pressed.status]).toEqual([403, 403]);
    expect(pressed.text).toContain("this server cannot identify you");
  });
});

describe("off loopback, a page", () => {
  const BASE = "https://photon.example.com";
  const forwarded = { "x-forwarded-for": "203.0.113.7", host: "photon.example.com", origin: BASE };

  /** A stage at a public address; pages are visited through the proxy that stands before it. */
  async function publicStage(
    options: Staging,
  ): Promise<TestServer & { readonly at: (url: string) => string }> {
    const local = await stage({ base: BASE, ...options });
    return { ...local, at: (url) => url.replace(BASE, local.url) };
  }

  describe("with a hook that tells who sent a request,", () => {
    const identify = ({ headers }: IncomingMessage): string | undefined =>
      typeof headers["x-user"] === "string" ? headers["x-user"] : undefined;

    it("is shown to the one who was asked", async () => {
      const { open, at } = await publicStage({ identify });
      const page = await open(ask.text("Who are you?"));
      const [url, ada] = [at(page.url), { ...forwarded, "x-user": "ada" }];
      const visitor = new Visitor();

      expect((await visitor.get(url, ada)).text).toContain("Continue");
      const { headers } = await visitor.post(url, { do: "open" }, ada);
      expect(headers["set-cookie"]?.[0]).toMatch(
        /^__Host-photon-ask-\w+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
      expect((await visitor.get(url, ada)).text).toContain("Who are you?");
      await visitor.answer(url, { f0: "Ada" }, ada);

      expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
    });

    it("is shown to nobody else, nor to nobody at all", async () => {
      const { open, at } = await publicStage({ identify });
      const { url } = await open(ask.text("Who are you?"));
      const look = (more: Readonly<Record<string, string>>): Promise<Seen> =>
        new Visitor().get(at(url), { ...forwarded, ...more });

      const seen = [await look({ "x-user": "mallory" }), await look({})];

      expect(seen.map(({ status }) => status)).toEqual([403, 403]);
      expect(seen[0]?.text).toContain("Another user was asked this.");
      expect(
        (await new Visitor().post(at(url), { do: "open" }, { ...forwarded, "x-user": "mallory" })).status,
      ).toBe(403);
    });

    it("takes no answer from its browser once that belongs to somebody else", async () => {
      const { open, at } = await publicStage({ identify });
      const page = await open(ask.text("Who are you?"));
      const [url, ada] = [at(page.url), { ...forwarded, "x-user": "ada" }];
      const visitor = new Visitor();
      await visitor.post(url, { do: "open" }, ada);
      await visitor.get(url, ada);

      const sent = await visitor.answer(url, { f0: "Mallory" }, { ...forwarded, "x-user": "mallory" });

      expect(sent.status).toBe(403);
    });
  });

  describe("with access tokens,", () => {
    const checkToken = (token: string): string | undefined =>
      ({ "ada-token": "ada", "bob-token": "bob" })[token];

    it("asks for one first, and is then that browser's", async () => {
      const { open, at } = await publicStage({ checkToken });
      const page = await open(ask.text("Who are you?"));
      const url = at(page.url);
      const visitor = new Visitor();

      expect((await visitor.get(url, forwarded)).text).toContain("Access token");
      const signedIn = await visitor.post(url, { do: "sign-in", access: "ada-token" }, forwarded);
      expect(signedIn.status).toBe(303);
      expect((await visitor.get(url, forwarded)).text).toContain("Who are you?");
      expect((await new Visitor().get(url, forwarded)).status).toBe(403);
      await visitor.answer(url, { f0: "Ada" }, forwarded);

      expect(await page.reply).toEqual({ action: "accept", value: "Ada" });
    });

    it("is not opened by one that is none, nor by somebody else's, nor by none", async () => {
      const { open, at } = await publicStage({ checkToken });
      const { url } = await open(ask.text("Who are you?"));
      const enter = (fields: Readonly<Record<string, string>>): Promise<Seen> =>
        new Visitor().post(at(url), fields, forwarded);

      const wrong = await enter({ do: "sign-in", access: "guessed-token" });
      const another = await enter({ do: "sign-in", access: "bob-token" });
      const none = await enter({ do: "open" });

      expect([wrong.status, another.status]).toEqual([403, 403]);
      expect(wrong.text).toContain("This is not an access token.");
      expect(wrong.text).not.toContain("guessed-token");
      expect(none.text).toContain("Access token");
      expect(none.headers["set-cookie"]).toBeUndefined();
    });

    it("lets few be tried", async () => {
      const clock = testClock();
      const { open, at } = await publicStage({ checkToken, clock });
      const { url } = await open(ask.text("Who are you?"));
      const enter = (access: string): Promise<Seen> =>
        new Visitor().post(at(url), { do: "sign-in", access }, forwarded);
      for (let tried = 0; tried < 5; tried++) await enter(`guess-${tried}`);

      const sixth = await enter("ada-token");
      await clock.advance("1m");
      const later = await enter("ada-token");

      expect(sixth.status).toBe(429);
      expect(sixth.headers["retry-after"]).toBe("60");
      expect(later.status).toBe(303);
    });

    it("warns where others can read along", async () => {
      const { open, url } = await stage({ checkToken, base: "http://photon.example.com" });
      const page = await open(ask.secret("Password?"));
      const at = `${url}/ask/${page.url.slice(-43)}`;
      const here = { ...forwarded, origin: "http://photon.example.com" };
      const visitor = new Visitor();

      const before = await visitor.get(at, here);
      await visitor.post(at, { do: "sign-in", access: "ada-token" }, here);
      const { text } = await visitor.get(at, here);

      expect(before.text).toContain("This page came over a connection that is not encrypted.");
      expect(text).toContain("This page came over a connection that is not encrypted.");
    });
  });
});
