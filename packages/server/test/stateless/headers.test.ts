/** The headers of a request must agree with its body. */
import { prompt, resource, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import { inHeader } from "../../../../test/clients/carriers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { type Headers, type Exchange, META, codeIn, textOf } from "../../../../test/clients/raw-client.ts";
import { echo } from "../wire/tools.ts";

const greeting = prompt({
  name: "greeting",
  async *run() {
    return "Hello";
  },
});
const page = resource({
  uri: "page://{name}",
  async *run({ name }) {
    return name;
  },
});

/** Sends what several of its parameters are in headers for. */
let begun = 0;
const routed = tool({
  name: "routed",
  input: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "Count" },
      dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
      deep: {
        type: "object",
        properties: {
          er: { type: "object", properties: { key: { type: "string", "x-mcp-header": "Key" } } },
        },
      },
      other: { type: "string" },
    },
  },
  async *run(input) {
    begun += 1;
    return { input };
  },
});

function assertMismatch(received: Exchange): void {
  expect({ code: codeIn(received), status: received.status }).toEqual({ code: -32020, status: 400 });
  expect(received.answer.id).toBeDefined();
  expect(received.answer.error?.message).toMatch(/^M[cC][pP]-.+\.$/);
}

describe("the headers of a request", () => {
  const calls = [
    ["tools/call", { name: "echo", arguments: {} }],
    ["prompts/get", { name: "greeting" }],
    ["resources/read", { uri: "page://1" }],
    ["tools/list", {}],
    ["server/discover", {}],
  ] as const;

  describe.each(calls)("of %s", (method, params) => {
    const post = async (headers: Headers): Promise<Exchange> => {
      const { client } = await serveStateless({ tools: [echo], prompts: [greeting], resources: [page] });
      return client.request(method, params, { headers });
    };
    const isNamed = "name" in params || "uri" in params;

    it(
      verifies(
        "C5",
        "are fine as they ought to be, in whatever case their names are, and with blanks around",
      ),
      async () => {
        expect(await post({})).toMatchObject({ status: 200 });
        const shouted = { "mcp-method": undefined, "MCP-METHOD": ` ${method}\t` };
        expect(await post(shouted)).toMatchObject({ status: 200 });
      },
    );

    it.each(["mcp-protocol-version", "mcp-method", ...(isNamed ? ["mcp-name"] : [])])(
      verifies("C5", "are refused with -32020 and 400 where %s is missing, empty or says something else"),
      async (header) => {
        assertMismatch(await post({ [header]: undefined }));
        assertMismatch(await post({ [header]: "" }));
        assertMismatch(await post({ [header]: "something else" }));
      },
    );

    it.each(["mcp-method", ...(isNamed ? ["mcp-name"] : [])])(
      "have values whose case counts: %s",
      async (header) => {
        const value = header === "mcp-method" ? method : "name" in params ? params.name : "page://1";
        assertMismatch(await post({ [header]: value.toUpperCase() }));
      },
    );
  });

  it("are not there once more: a header that was sent twice is refused", async () => {
    const { url } = await serveStateless({ tools: [echo] });
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
        ["mcp-protocol-version", "2026-07-28"],
        ["mcp-method", "server/discover"],
        ["mcp-method", "server/discover"],
      ],
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "server/discover",
        params: { _meta: { [META.version]: "2026-07-28", [META.capabilities]: {} } },
      }),
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  it(
    verifies(
      "C5",
      "are compared before the revision is looked at: a mismatch of an unknown one is a mismatch",
    ),
    async () => {
      const { client } = await serveStateless({ tools: [echo] });
      const meta = { [META.version]: "2027-01-01" };

      assertMismatch(
        await client.request("tools/list", {}, { meta, headers: { "mcp-protocol-version": "2026-07-28" } }),
      );
      assertMismatch(
        await client.request("tools/list", {}, { meta, headers: { "mcp-protocol-version": undefined } }),
      );
      expect(codeIn(await client.request("tools/list", {}, { meta }))).toBe(-32022);
    },
  );

  it(verifies("C5", "may hold a name in base64, where it is one that no header can hold"), async () => {
    const { client } = await serveStateless({ resources: [page] });
    const uri = "page://grüße aus 東京";

    const received = await client.request(
      "resources/read",
      { uri },
      { headers: { "mcp-name": inHeader(uri) } },
    );

    expect(inHeader(uri)).toMatch(/^=\?base64\?.+\?=$/);
    expect(received.answer.result?.["contents"]).toMatchObject([{ uri, text: "grüße aus 東京" }]);
    assertMismatch(
      await client.request(
        "resources/read",
        { uri },
        { headers: { "mcp-name": inHeader("page://other ü") } },
      ),
    );
  });

  it("do not matter on a line, which has none", async () => {
    for (const set of [statelessTransports.stdio, statelessTransports.websocket]) {
      const client = await (await set({ tools: [routed] })).connect();
      const received = await client.call("routed", { region: "north" });
      expect(received.answer.result?.["structuredContent"]).toEqual({ input: { region: "north" } });
    }
  });
});

describe("a parameter that is sent as a header, too", () => {
  const call = async (input: Fields, headers: Headers): Promise<Exchange> => {
    const { client } = await serveStateless({ tools: [routed] });
    return client.call("routed", input, { headers });
  };

  it.each<[string, Fields, Headers]>([
    ["a text", { region: "north" }, { "Mcp-Param-Region": "north" }],
    ["a text with a blank in it", { region: "far north" }, { "mcp-param-region": "far north" }],
    ["a text in base64, needed or not", { region: "north" }, { "mcp-param-region": "=?base64?bm9ydGg=?=" }],
    ["a text with blanks around it", { region: " north " }, { "mcp-param-region": inHeader(" north ") }],
    ["a text with blanks around the header", { region: "north" }, { "mcp-param-region": "  north\t" }],
    ["a text of two lines", { region: "a\nb" }, { "mcp-param-region": inHeader("a\nb") }],
    ["an empty text", { region: "" }, { "mcp-param-region": "" }],
    ["an integer", { count: 42 }, { "mcp-param-count": "42" }],
    ["an integer, otherwise written", { count: 42 }, { "mcp-param-count": "42.0" }],
    ["an integer below 0", { count: -7 }, { "mcp-param-count": "-7" }],
    ["the integer 0", { count: 0 }, { "mcp-param-count": "0" }],
    ["yes", { dry: true }, { "mcp-param-dry-run": "true" }],
    ["no", { dry: false }, { "MCP-PARAM-DRY-RUN": "false" }],
    ["a text further inside", { deep: { er: { key: "k" } } }, { "mcp-param-key": "k" }],
    ["nothing, where an object on the way is missing", { deep: {} }, {}],
    ["nothing, where there is none", { other: "x" }, {}],
  ])(verifies("C5", "may be %s"), async (_, input, headers) => {
    const received = await call(input, headers);

    expect(received.answer.result?.["structuredContent"]).toEqual({ input });
  });

  it.each<[string, Fields, Headers]>([
    ["a text is missing", { region: "north" }, {}],
    ["it says what the body does not", {}, { "mcp-param-region": "north" }],
    ["it says what is null in the body", { region: null }, { "mcp-param-region": "north" }],
    ["an empty text is missing", { region: "" }, {}],
    ["0 is missing", { count: 0 }, {}],
    ["no is missing", { dry: false }, {}],
    ["another text is there", { region: "north" }, { "mcp-param-region": "south" }],
    ["the text is in another case", { region: "north" }, { "mcp-param-region": "North" }],
    ["another number is there", { count: 42 }, { "mcp-param-count": "43" }],
    ["no number is there", { count: 0 }, { "mcp-param-count": "" }],
    ["a number is there as nobody else reads it", { count: 42 }, { "mcp-param-count": "0x2A" }],
    ["a number is there as nobody else would read it", { count: 1000 }, { "mcp-param-count": "1e3" }],
    ["yes is in another case", { dry: true }, { "mcp-param-dry-run": "True" }],
    ["something else is further inside", { deep: { er: { key: "k" } } }, { "mcp-param-key": "K" }],
    ["raw bytes are there", { region: "ü" }, { "mcp-param-region": Buffer.from("ü").toString("latin1") }],
    ["base64 is of something else", { region: "north" }, { "mcp-param-region": inHeader("süd") }],
    ["base64 is broken", { region: "north" }, { "mcp-param-region": "=?base64?bm9ydGg?=" }],
  ])(verifies("C5", "is refused with -32020 before anything runs where %s"), async (_, input, headers) => {
    begun = 0;

    assertMismatch(await call(input, headers));
    expect(begun).toBe(0);
  });

  it.each([null, {}, ["north"]])(
    "is not expected where it is %j: what is wrong with that is the input's",
    async (region) => {
      const received = await call({ region }, {});

      expect(received.status).toBe(200);
      expect(received.answer.result).toMatchObject({ isError: true });
      expect(textOf(received.answer)).toContain("region");
    },
  );

  it("is the tool's own: the same header means nothing to another", async () => {
    const { client } = await serveStateless({ tools: [routed, echo] });

    const received = await client.call("echo", { text: "hi" }, { headers: { "mcp-param-region": "north" } });

    expect(textOf(received.answer)).toBe("hi");
  });
});
