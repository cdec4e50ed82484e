/** Servers that other machines can reach: who may call them, and who may see their pages. */
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, type ListenOptions, type ServerOptions } from "../../src/index.ts";
import { onSession } from "../handover/model.ts";
import { Visitor } from "../pages/visitor.ts";
import { answerPage } from "../secrets/person.ts";
import { login } from "../secrets/tools.ts";
import { listening, transports } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { type Exchange, StatelessClient, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";
import { bearer, initialize, post, tokens } from "./callers.ts";

const PUBLIC = "http://photon.example.com";
const NO_ADDRESS =
  '"Password?" (ask-1) cannot be asked here: this server does not know the address it is reached by (publicUrl).';
const urlIn = (received: Exchange): string => String(questionsIn(received)["ask-1"]?.params?.["url"]);
const consent = { "ask-1": { action: "accept" } };

/** A client of 2026-07-28, by whomever. */
const as = (url: string, token: string): StatelessClient =>
  new StatelessClient(overStatelessHttp(url, bearer(token)));

describe("a host that other machines reach", () => {
  it.each(["0.0.0.0", "::"])("(%s) is not listened on without saying who may call", async (host) => {
    const server = createServer({ tools: [echo] });
    onTestFinished(() => server.close());

    await expect(server.listen({ host })).rejects.toMatchObject({
      code: "AUTH_REQUIRED",
      name: "AuthRequired",
    });
    await expect(server.listen({ host })).rejects.toThrow(host);
  });

  it.each<[string, ServerOptions, ListenOptions]>([
    ["tokens", { tokens }, {}],
    ["tokens of its own", {}, { tokens }],
    ["a hook", { authenticate: () => "ada" }, {}],
  ])("is listened on with %s", async (_, options, listen) => {
    const { url } = await listening({ tools: [echo], ...options }, { host: "0.0.0.0", ...listen });

    expect((await post(`${url}/mcp`, initialize, bearer(tokens.ada))).status).toBe(200);
  });

  it(
    verifies(["B4", "B6"], "is listened on for anybody, if that is said; then nobody is asked for secrets"),
    async () => {
      const { url } = await listening(
        { tools: [echo, login, greet], whenUnsupported: "page" },
        { host: "0.0.0.0", noAuth: true },
      );
      const rich = new StatelessClient(overStatelessHttp(url));
      const poor = await onSession(url);

      const served = await rich.call("echo", { text: "hi" });
      const refused = [textOf((await rich.call("login")).answer), (await poor.call("greet")).text];

      expect(textOf(served.answer)).toBe("hi");
      expect(refused).toEqual(
        ["Password?", "Name?"].map(
          (question) =>
            `"${question}" (ask-1) cannot be asked here: this server accepts callers without authentication, so a page would have no owner.`,
        ),
      );
    },
  );

  it("is no address for a page, where it stands for all of them: that needs a publicUrl", async () => {
    const { url } = await listening({ tools: [login], tokens }, { host: "0.0.0.0" });

    const refused = await as(url, tokens.ada).call("login");

    expect(textOf(refused.answer)).toBe(NO_ADDRESS);
  });
});

describe("a server that somebody else has mounted", () => {
  async function mounted(options: ServerOptions): Promise<string> {
    const server = createServer({ tools: [login], ...options });
    const http = createHttpServer(server.handler).listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(async () => {
      await server.close();
      http.closeAllConnections();
      http.close();
    });
    // It listens on a port.
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  it("does not know where its pages are, without a publicUrl", async () => {
    const url = await mounted({});

    const refused = await new StatelessClient(overStatelessHttp(url)).call("login");

    expect(textOf(refused.answer)).toBe(NO_ADDRESS);
  });

  it("serves its pages by the same handler", async () => {
    const url = await mounted({ publicUrl: `${PUBLIC}/tools`, allowedHosts: ["photon.example.com"], tokens });

    const link = urlIn(await as(url, tokens.ada).call("login"));
    const { status } = await new Visitor().get(link.replace(`${PUBLIC}/tools`, url), {
      host: "photon.example.com",
    });

    expect(link.startsWith(`${PUBLIC}/tools/ask/`)).toBe(true);
    expect(status).toBe(200);
  });
});

describe("a page that is reached from elsewhere", () => {
  const options: ServerOptions = { tools: [login], publicUrl: PUBLIC, allowedHosts: ["photon.example.com"] };
  const headers = { host: "photon.example.com", origin: PUBLIC };

  /** A question for ada, and where its page is on this machine. */
  async function asked(
    more: ServerOptions = { tokens },
    listen?: ListenOptions,
  ): Promise<{ readonly client: StatelessClient; readonly received: Exchange; readonly page: string }> {
    const { url } = await listening({ ...options, ...more }, listen);
    const client = as(url, tokens.ada);
    const received = await client.call("login");
    return { client, received, page: urlIn(received).replace(PUBLIC, url) };
  }

  it.each<[string, ServerOptions, ListenOptions]>([
    ["the server's", { tokens }, {}],
    ["of the port it listens on", {}, { tokens }],
  ])(verifies("B6", "is opened with the access token of whoever was asked (%s)"), async (_, more, listen) => {
    const { client, received, page } = await asked(more, listen);
    const visitor = new Visitor();

    const door = await visitor.get(page, headers);
    const wrong = await visitor.post(page, { do: "sign-in", access: "not-a-token-of-anybody" }, headers);
    const entered = await visitor.post(page, { do: "sign-in", access: tokens.ada }, headers);
    await visitor.get(page, headers);
    await visitor.answer(page, { f0: "correct horse" }, headers);
    const done = await client.retry(received, consent);

    expect(door.text).toContain("Access token");
    expect(door.text).not.toContain("Password?");
    expect({ wrong: wrong.status, entered: entered.status }).toEqual({ wrong: 403, entered: 303 });
    expect(textOf(done.answer)).toBe("true 13 [secret]");
  });

  it("is not for another, whatever token they have", async () => {
    const { page } = await asked();
    const eve = new Visitor();

    const refused = await eve.post(page, { do: "sign-in", access: tokens.eve }, headers);

    expect(refused.status).toBe(403);
    expect(refused.text).toContain("Another user was asked this");
    expect((await eve.get(page, headers)).text).not.toContain("Password?");
  });

  it("is opened by whomever the program around it knows", async () => {
    const { client, received, page } = await asked({
      tokens,
      identify: (request) => (request.headers["x-user"] === "ada" ? "ada" : "eve"),
    });
    const ada = new Visitor();
    const own = { ...headers, "x-user": "ada" };

    const refused = await new Visitor().get(page, headers);
    await ada.post(page, { do: "open" }, own);
    await ada.get(page, own);
    await ada.answer(page, { f0: "correct horse" }, own);

    expect(refused.status).toBe(403);
    expect(textOf((await client.retry(received, consent)).answer)).toBe("true 13 [secret]");
  });

  it("is not there where nothing tells who somebody is", async () => {
    const { url } = await listening({ ...options, authenticate: () => "ada" });

    const refused = await new StatelessClient(overStatelessHttp(url)).call("login");

    expect(textOf(refused.answer)).toBe(
      `"Password?" (ask-1) cannot be asked here: a page at ${PUBLIC} can be opened by anyone who has its address, and the server cannot identify them (tokens, identify).`,
    );
  });
});

describe("somebody who has no token that would open their page", () => {
  const options: ServerOptions = { tools: [login], publicUrl: PUBLIC, tokens };

  it(verifies("B6", "is not asked for secrets: the page would be nobody's (known by a hook)"), async () => {
    const { url } = await listening({ ...options, authenticate: () => "zoe" });

    const refused = await new StatelessClient(overStatelessHttp(url)).call("login");

    expect(textOf(refused.answer)).toBe(
      `"Password?" (ask-1) cannot be asked here: a page at ${PUBLIC} is opened with an access token, and there is none for "zoe".`,
    );
  });

  it(verifies("B6", "is not asked for secrets: the page would be nobody's (at stdin)"), async () => {
    const client = await (await transports.stdio(options)).connect();
    await client.initialize("2025-11-25", { elicitation: { url: {} } });

    const refused = await client.callTool("login");

    expect(textOf(refused)).toBe(
      `"Password?" (ask-1) cannot be asked here: a page at ${PUBLIC} is opened with an access token, and there is none for a caller without a name.`,
    );
  });

  it("is asked where it was said whose a transport is that was connected", async () => {
    const server = createServer(options);
    onTestFinished(() => server.close());
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client(
      { name: "guest", version: "1" },
      { capabilities: { elicitation: { url: {} } } },
    );
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push("url" in params ? params.url : "");
      return { action: "decline" };
    });

    await server.connect(there, { principal: "ada" });
    await client.connect(here);
    await client.callTool({ name: "login" });

    expect(asked).toEqual([expect.stringContaining(`${PUBLIC}/ask/`)]);
  });

  it("is asked where the program around the server knows them", async () => {
    const { url } = await listening({ ...options, authenticate: () => "zoe", identify: () => "zoe" });

    const received = await new StatelessClient(overStatelessHttp(url)).call("login");

    expect(urlIn(received)).toContain(`${PUBLIC}/ask/`);
  });
});

// Other systems than Linux have no 127.0.0.2 without being told to.
describe.skipIf(process.platform !== "linux")("a page at another address of loopback", () => {
  it("is one of this machine: nobody has to say who they are", async () => {
    const { url } = await listening({ tools: [login] }, { host: "127.0.0.2" });
    const client = new StatelessClient(overStatelessHttp(url));
    const asked = await client.call("login");

    await answerPage(urlIn(asked), "correct horse");

    expect(urlIn(asked)).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/ask\//);
    expect(textOf((await client.retry(asked, consent)).answer)).toBe("true 13 [secret]");
  });
});

describe("a page on loopback, of a server with tokens", () => {
  it("belongs to whoever opens it first", async () => {
    const { url } = await listening({ tools: [login], tokens });
    const client = as(url, tokens.ada);
    const asked = await client.call("login");

    await answerPage(urlIn(asked), "correct horse");

    expect(textOf((await client.retry(asked, consent)).answer)).toBe("true 13 [secret]");
    expect((await new Visitor().get(urlIn(asked))).status).toBe(410);
  });
});
