import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { Visitor } from "../../../server/test/pages/visitor.ts";
import { urlIn, temporaryFolder } from "../temporary-folder.ts";
import { greeter } from "../tool-sources.ts";
import {
  connect,
  httpTransportWithToken,
  networkTransports,
  stdioTransport,
  stderrOf,
} from "./mcp-clients.ts";

const SECRET = "hunter2-is-a-secret";

const vault = `import { ask, tool } from "@photon/core";

export const open = tool({
  async *run() {
    const secret = yield* ask.secret("Which password?", { id: "password" });
    return \`\${secret.reveal().length} characters, among them \${secret.reveal()}\`;
  },
});
`;

type Elicit = (params: { readonly message: string; readonly url?: string }) => Promise<ElicitResult>;

/** A client; one that can show questions where it is given what to do with them. */
async function client(transport: Transport, elicit?: Elicit) {
  const capabilities = elicit === undefined ? {} : { elicitation: { form: {}, url: {} } };
  const guest = new Client({ name: "guest", version: "1" }, { capabilities });
  if (elicit !== undefined) guest.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
  await guest.connect(transport);
  onTestFinished(() => guest.close());
  return {
    call: async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
      const { content } = await guest.callTool({ name, arguments: args });
      return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
    },
  };
}

const linkIn = (text: string): string => /https?:\/\/\S+\/ask\/\S+/.exec(text)?.[0] ?? "";
const runIn = (text: string): string => /"run":"([^"]+)"/.exec(text)?.[1] ?? "";

describe("a question that photon serve asks", { timeout: 30_000 }, () => {
  const stdio = (
    files: Readonly<Record<string, string>>,
    ...flags: readonly string[]
  ): StdioClientTransport => stdioTransport(temporaryFolder(files), ["serve", ...flags]);

  it(
    verifies(
      "B6",
      "for a secret opens a page on this machine, also over stdio, and the client never sees it",
    ),
    async () => {
      const transport = stdio({ "vault.photon.ts": vault });
      const said = stderrOf(transport);
      let opened = "";
      const { call } = await client(transport, async ({ url = "" }) => {
        opened = url;
        const person = new Visitor();
        await person.open(url);
        await person.answer(url, { f0: SECRET });
        return { action: "accept" };
      });

      expect(await call("open")).toBe(`${SECRET.length} characters, among them [secret]`);
      expect(opened).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ask\/[\w-]{43}$/);
      expect(said.all.join("\n")).not.toContain(SECRET);
    },
  );

  it(
    verifies("B4", "fails where the client cannot show it, unless --when-unsupported says otherwise"),
    async () => {
      const { call } = await client(stdio({ "web.photon.ts": greeter }));

      expect(await call("greet")).toBe(
        '"Who are you?" (name) cannot be asked here: the client shows no forms (elicitation).',
      );
    },
  );

  it("is a link with --when-unsupported=page, and the call continues", async () => {
    const { call } = await client(stdio({ "web.photon.ts": greeter }, "--when-unsupported=page"));
    const words = await call("greet");
    const person = new Visitor();
    await person.open(linkIn(words));
    await person.answer(linkIn(words), { f0: "Eve" });

    expect(await call("photon_continue", { run: runIn(words) })).toBe("Hello, Eve!");
  });

  it("is passed on in words with --when-unsupported=relay", async () => {
    const { call } = await client(stdio({ "web.photon.ts": greeter }, "--when-unsupported=relay"));
    const words = await call("greet");

    expect(words).toContain("Who are you?");
    expect(await call("photon_answer", { run: runIn(words), answer: "Eve" })).toBe("Hello, Eve!");
  });

  it.each([
    ["the only one who has a token", [`--auth-token=ada:${SECRET}`]],
    [
      "the principal of --principal",
      [`--auth-token=ada:${SECRET},bob:bob-0123456789abcdef`, "--principal=ada"],
    ],
  ])(verifies("B6", "over stdio is, at the --public-url, for %s"), async (_, flags) => {
    const transport = stdio(
      { "web.photon.ts": greeter },
      "--transport=stdio,http",
      "--port=0",
      "--when-unsupported=page",
      "--public-url=http://photon.example.com",
      ...flags,
    );
    const said = stderrOf(transport);
    const { call } = await client(transport);
    const url = await urlIn(said);
    const words = await call("greet");
    const page = linkIn(words).replace("http://photon.example.com", url);
    // As a proxy passes it on.
    const headers = { host: "photon.example.com", origin: "http://photon.example.com" };
    const person = new Visitor();
    await person.post(page, { do: "sign-in", access: SECRET }, headers);
    await person.get(page, headers);
    await person.answer(page, { f0: "Eve" }, headers);

    expect(await call("photon_continue", { run: runIn(words) })).toBe("Hello, Eve!");
  });

  it.each([
    [
      ["--host=0.0.0.0", "--no-auth"],
      "this server accepts callers without authentication, so a page would have no owner",
    ],
    [
      [],
      "a page at https://photon.example.com can be opened by anyone who has its address, and the server cannot identify them (tokens, identify)",
    ],
  ])(
    verifies("B6", "for a secret fails at a --public-url without tokens, which is warned of: %j"),
    async (flags, why) => {
      const args = ["serve", "-t", "http", "--port=0", "--public-url=https://photon.example.com", ...flags];
      const server = temporaryFolder({ "vault.photon.ts": vault }).start(args);
      const transport = networkTransports.http(await server.url());
      const { call } = await client(transport, async () => ({ action: "accept" }));

      expect(await server.until(/warning/)).toContain(
        "Pages at the --public-url are opened with a token, and none is configured: tools cannot ask for secrets or files. Add --auth-token name:token.",
      );
      expect(await call("open")).toBe(`"Which password?" (password) cannot be asked here: ${why}.`);
    },
  );

  it("links to the --public-url, by whose name the server may then be reached", async () => {
    const server = temporaryFolder({ "web.photon.ts": greeter }).start([
      "serve",
      "--transport=http",
      "--port=0",
      "--when-unsupported=page",
      `--auth-token=ada:${SECRET}`,
      "--public-url=https://photon.example.com/tools/",
    ]);
    const url = await server.url();
    const { call } = await client(httpTransportWithToken(url, SECRET));
    const link = new URL(linkIn(await call("greet")));
    // As a proxy passes it on.
    const seen = await new Visitor().get(`${url}${link.pathname.replace("/tools", "")}`, { host: link.host });

    expect(link.href).toMatch(/^https:\/\/photon\.example\.com\/tools\/ask\/[\w-]{43}$/);
    expect(seen.status).toBe(200);
  });

  it(
    verifies(
      "B10",
      "is not sent to a client with --distrust that has declined three faster than a person reads",
    ),
    async () => {
      const flags = ["--distrust", "--when-unsupported=relay", "--min-reading-time=1m"];
      const transport = stdio({ "web.photon.ts": greeter }, ...flags);
      let asked = 0;
      const { call } = await client(transport, async () => {
        asked += 1;
        return { action: "decline" };
      });

      for (let time = 0; time < 4; time += 1) expect(await call("greet")).toContain("photon_answer");

      expect(asked).toBe(3);
    },
  );

  it(verifies("B10", "is answered by a decline, however quick, with --min-reading-time=none"), async () => {
    const flags = ["--when-unsupported=relay", "--min-reading-time=none"];
    const transport = stdio({ "web.photon.ts": greeter }, ...flags);
    const { call } = await client(transport, async () => ({ action: "decline" }));

    expect(await call("greet")).toContain("declined");
  });

  it("is written down with --audit, line after line, for the owner's eyes and without secrets", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter, "vault.photon.ts": vault });
    const file = join(place.folder, "audit.jsonl");
    for (const name of ["greet", "open"]) {
      const transport = stdioTransport(place, ["serve", "--audit=audit.jsonl"]);
      const { call } = await client(transport, async ({ url }) => {
        if (url === undefined) return { action: "accept", content: { value: "Eve" } };
        const person = new Visitor();
        await person.open(url);
        await person.answer(url, { f0: SECRET });
        return { action: "accept" };
      });
      await call(name);
      await transport.close();
    }
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");

    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        tool: "greet",
        input: {},
        client: { name: "guest", version: "1" },
        question: { key: "name", attempt: 1, kind: "text", message: "Who are you?" },
        action: "accept",
        answer: "Eve",
      }),
      expect.not.objectContaining({ answer: expect.anything() }),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines.join("")).not.toContain(SECRET);
  });

  it("refuses an --audit that cannot be written, before it serves", async () => {
    const { stderr, exitCode } = await temporaryFolder({ "web.photon.ts": greeter }).photon([
      "serve",
      "--audit=nowhere/audit.jsonl",
    ]);

    expect(stderr).toMatch(/^The audit cannot be written to nowhere\/audit\.jsonl \(ENOENT.*\)\.\n$/);
    expect(exitCode).toBe(2);
  });
});

describe("photon serve --with=elicit", { timeout: 20_000 }, () => {
  const elicits = ["elicit_choice", "elicit_confirm", "elicit_form", "elicit_input"];

  it.each([
    ["beside those of files", { "web.photon.ts": greeter }, ["greet"]],
    ["alone where there are none", {}, []],
  ])(verifies("A12", "serves tools by which a model asks, %s"), async (_, files, others) => {
    const guest = await connect(
      stdioTransport(temporaryFolder({ ...files }), ["serve", "--with=elicit"]),
      () => "Rome",
    );

    expect(await guest.tools()).toEqual([...elicits, ...others]);
    expect(JSON.parse(await guest.call("elicit_input", { message: "Where to?" }))).toEqual({
      action: "accept",
      value: "Rome",
    });
  });

  it("says which command starts it so, and still that a named file is not there", async () => {
    const place = temporaryFolder();
    const server = place.start(["serve", "--with=elicit"]);
    const hint = await server.until(/Add it to a client/);

    expect(hint).toContain(`serve ${place.folder} --with=elicit`);
    expect(await place.photon(["serve", "nowhere", "--with=elicit"])).toMatchObject({ exitCode: 2 });
  });

  it("keeps them when files are reloaded", async () => {
    const place = temporaryFolder({ "web.photon.ts": greeter });
    const server = place.start(["dev", "--with=elicit", "--port=0"]);
    const guest = await connect(networkTransports.http(await server.url()));
    place.write("web.photon.ts", greeter.replace("const greet", "const hail"));
    await server.until(/reloaded/);

    expect(await guest.tools()).toEqual([...elicits, "hail"]);
  });
});
