import { revisions, sessionRevisions, type Revision } from "@photon/server";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { book } from "./fixtures/booking.mjs";
import { call, command, stdioServer, serve } from "./servers.ts";

/** Where a server is, and how it is said on a command line: what comes before the tool, and what comes last. */
type Addressed = (newest: Revision) => Promise<readonly [before: readonly string[], last: readonly string[]]>;

const http: Addressed = async (maxRevision) => [[`${await serve({ tools: [book], maxRevision })}/mcp`], []];
const sse: Addressed = async (maxRevision) => [[`${await serve({ tools: [book], maxRevision })}/sse`], []];
const websocket: Addressed = async (maxRevision) => {
  const url = await serve({ tools: [book], maxRevision });
  return [[`${url.replace("http", "ws")}/mcp`], []];
};
const stdio: Addressed = async (maxRevision) => [[], command(stdioServer, maxRevision)];

const lines = [
  { transport: "Streamable HTTP", address: http, carries: revisions },
  { transport: "WebSocket", address: websocket, carries: revisions },
  { transport: "stdio", address: stdio, carries: revisions },
  { transport: "HTTP+SSE", address: sse, carries: sessionRevisions },
];

const answers = [
  "--answer",
  "nights=3",
  "--answer",
  "ask-2=double",
  "--answer",
  'guest={"name":"Ada","vip":true}',
];

describe.each(lines)("photon call over $transport", { timeout: 20_000 }, ({ address, carries }) => {
  it.each(carries.filter((revision) => revision >= "2025-06-18"))(
    verifies("C11", "answers what a server asks in %s, by the ids its author gave"),
    async (revision) => {
      const [before, last] = await address(revision);
      // One line of the table is a process as well.
      const start = last.length > 0 ? call : callInProcess;
      const { stdout, stderr, exitCode } = await start([
        ...before,
        "book",
        "--city",
        "Rome",
        ...answers,
        ...last,
      ]);

      expect({ stderr, exitCode }).toEqual({ stderr: expect.any(String), exitCode: 0 });
      expect(JSON.parse(stdout)).toEqual({
        city: "Rome",
        nights: 3,
        room: "double",
        guest: { name: "Ada", vip: true },
      });
    },
  );

  it.each([carries[0], carries.at(-1)])(
    "speaks the newest revision that the server speaks: %s",
    async (revision) => {
      const [before, last] = await address(revision ?? "2026-07-28");
      const { stdout } = await callInProcess([...before, "--list", "--json", ...last]);

      expect(JSON.parse(stdout)).toMatchObject({ revision, tools: [{ name: "book" }] });
    },
  );

  it("shows what the tool tells, in its order", async () => {
    const [before, last] = await address("2026-07-28");
    const { stderr } = await callInProcess([...before, "book", "--city", "Rome", ...answers, ...last]);

    expect(stderr.split("\n").slice(0, 4)).toEqual([
      "Looking in Rome",
      "50% Half of it",
      "[warning] It is nearly full.",
      "?  How many nights? (a whole number, 1 to 30)",
    ]);
  });

  it(verifies(["C11", "B5"], "cancels a question without an answer, and says how to answer it"), async () => {
    const [before, last] = await address("2026-07-28");
    const { stdout, stderr, exitCode } = await callInProcess([...before, "book", "--city", "Rome", ...last]);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain(
      'An answer is needed to "How many nights?" (nights): a whole number, 1 to 30. Give it as --answer nights=…',
    );
    expect(stderr).toContain('The question "How many nights?" (nights) was cancelled.');
  });
});

describe("photon call --revision", { timeout: 20_000 }, () => {
  it.each(["2025-03-26", "2025-11-25", "2026-07-28"])(
    "speaks %s to a server that speaks others too",
    async (revision) => {
      const url = await serve({ tools: [book] });
      const { stdout } = await callInProcess([`${url}/mcp`, "--list", "--json", "--revision", revision]);

      expect(JSON.parse(stdout)).toMatchObject({ revision });
    },
  );

  it.each([
    ["mcp", "2026-07-28", "2025-06-18", " does not support 2026-07-28."],
    ["mcp", "2025-11-25", "2025-06-18", " does not support 2025-11-25; it supports 2025-06-18."],
    ["sse", "2026-07-28", "2026-07-28", " does not support 2026-07-28."],
  ] as const)(
    "says that the server at /%s does not speak %s where it does not",
    async (path, revision, maxRevision, problem) => {
      const url = await serve({ tools: [book], maxRevision });
      const { stderr, exitCode } = await callInProcess([`${url}/${path}`, "book", "--revision", revision]);

      expect({ stderr, exitCode }).toEqual({ stderr: `${url}/${path}${problem}\n`, exitCode: 2 });
    },
  );
});
