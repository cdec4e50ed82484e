import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { callInProcess } from "../run-in-process.ts";
import { command, stdioServer, serve } from "./servers.ts";

const echo = tool({
  name: "echo",
  description: "Says it again.",
  input: {
    type: "object",
    properties: {
      text: { type: "string", description: "What to say" },
      times: { type: "integer", minimum: 1, maximum: 9, default: 1 },
      loud: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["text"],
    additionalProperties: false,
  },
  async *run(input) {
    return input;
  },
});
const other = tool({
  name: "other",
  async *run() {
    return "other";
  },
});

describe("the input of photon call", { timeout: 20_000 }, () => {
  it("comes from flags that are made of the tool's input schema, over what --input says", async () => {
    const url = await serve({ tools: [echo, other] });
    const typed = [
      "--text",
      "hey",
      "--loud",
      "--tags",
      "a",
      "--tags",
      "b",
      "--input",
      '{"text":"no","times":2}',
    ];
    const { stdout } = await callInProcess([`${url}/mcp`, "echo", ...typed]);

    expect(JSON.parse(stdout)).toEqual({ text: "hey", loud: true, tags: ["a", "b"], times: 2 });
  });

  it("goes to the tool after -- where the server has an address, whatever it is called", async () => {
    const json = tool({
      name: "json",
      input: { type: "object", properties: { json: { type: "string" } } },
      async *run({ json: given }) {
        return `json is ${String(given)}`;
      },
    });
    const url = await serve({ tools: [json] });

    expect((await callInProcess([`${url}/mcp`, "json", "--", "--json", "mine"])).stdout).toBe(
      "json is mine\n",
    );
  });

  it("is shown with --help, from the schema that the server gives", async () => {
    const { stdout, stderr, exitCode } = await callInProcess(["book", "--help", ...command(stdioServer)]);

    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("Books a room.");
    expect(stdout).toMatch(/^ {2}--city <text> +Where to \(required\)$/m);
    expect(stdout).toMatch(/^ {2}--\[no-\]breakfast$/m);
    expect(stdout).toMatch(/^ {2}--header <'Name: value'> /m);
  });

  it.each([
    ["a tool that is not there", ["ehco"], 'There is no tool "ehco" at @; did you mean echo?'],
    ["a tool that is nothing like one", ["zzz"], 'There is no tool "zzz" at @; there is echo, other.'],
    ["no tool where there are several", [], "There are 2 tools at @; say which: echo, other."],
    [
      "a flag that the tool has not",
      ["echo", "--txet", "x"],
      "echo has no input --txet; did you mean --text?",
    ],
    [
      "input that is missing",
      ["echo"],
      "Invalid input for echo: text is required. The same with --help shows its input.",
    ],
    [
      "input that does not fit",
      ["echo", "--text", "x", "--times", "10"],
      "Invalid input for echo: times must be at most 9. The same with --help shows its input.",
    ],
  ])(verifies("D5", "is refused in one sentence: %s"), async (_, args, sentence) => {
    const url = await serve({ tools: [echo, other] });
    const { stdout, stderr, exitCode } = await callInProcess([`${url}/mcp`, ...args]);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toBe(`${sentence.replace("@", `${url}/mcp`)}\n`);
  });

  it.each([
    ["no server at all", [], "photon call needs a server: "],
    ["a tool and no server", ["echo"], '"echo" is not a server: '],
    ["a host without http", ["localhost:3001/mcp"], "did you mean http://localhost:3001/mcp?"],
    ["a host without a path", ["127.0.0.1:3001"], "did you mean http://127.0.0.1:3001/mcp?"],
    ["an address of something else", ["ftp://localhost/"], "MCP servers have no ftp:// URLs."],
    ["two tools", ["http://localhost/mcp", "a", "b"], 'photon call takes one tool; remove "b".'],
    [
      "a header without a name",
      ["http://localhost/mcp", "--header", "secret"],
      "--header takes 'Name: value'.",
    ],
    [
      "a password in the address",
      ["http://me:secret@localhost/mcp"],
      "A URL cannot contain a user and password here",
    ],
    [
      "a revision there is not",
      ["http://localhost/mcp", "--revision", "2020-01-01"],
      "--revision is one of 2024-11-05,",
    ],
    [
      "an invalid time",
      ["http://localhost/mcp", "--timeout", "soon"],
      "--timeout is a length of time like 30s",
    ],
  ])(verifies("D5", "is refused before anything is called: %s"), async (_, args, sentence) => {
    const { stdout, stderr, exitCode } = await callInProcess(args);

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("secret");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
