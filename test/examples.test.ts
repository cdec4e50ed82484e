import { spawn } from "node:child_process";
import type { Tool } from "@photon/core";
import { createServer, type PhotonServer } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { check as hello } from "../examples/01-hello/check.ts";
import * as helloTools from "../examples/01-hello/hello.photon.ts";
import { check as progress } from "../examples/02-progress/check.ts";
import * as progressTools from "../examples/02-progress/primes.photon.ts";
import { check as ask } from "../examples/03-ask/check.ts";
import * as askTools from "../examples/03-ask/book.photon.ts";
import { check as form } from "../examples/04-form/check.ts";
import * as formTools from "../examples/04-form/register.photon.ts";
import { check as noAnswer } from "../examples/05-no-answer/check.ts";
import * as noAnswerTools from "../examples/05-no-answer/lunch.photon.ts";
import { check as durable } from "../examples/06-durable/check.ts";
import * as durableTools from "../examples/06-durable/transfer.photon.ts";
import { check as testing } from "../examples/07-testing/check.ts";
import * as testingTools from "../examples/07-testing/quiz.photon.ts";
import { check as mounting } from "../examples/08-mounting/check.ts";
import type { Call, Check } from "../examples/check.ts";
import { httpV2, webSocket } from "./clients/connections.ts";
import { SdkV1Client } from "./clients/sdk-v1-client.ts";
import { SdkV2Client } from "./clients/sdk-v2-client.ts";
import { stdioV1 } from "./clients/stdio-connections.ts";
import { at, photon, startExample } from "./kitchen-sink/processes.ts";
import { textOf } from "./kitchen-sink/tool-result.ts";
import { callAs, userWithAnswers } from "./kitchen-sink/user.ts";
import { verifies } from "./requirements.ts";

/** The examples that consist of tools only. */
const served: Readonly<Record<string, Check>> = {
  "01-hello": hello,
  "02-progress": progress,
  "03-ask": ask,
  "04-form": form,
  "05-no-answer": noAnswer,
  "06-durable": durable,
  "07-testing": testing,
};

const tools = [
  helloTools,
  progressTools,
  askTools,
  formTools,
  noAnswerTools,
  durableTools,
  testingTools,
].flatMap((exports) => Object.values<Tool<never>>(exports));

/** The function with which a check calls a tool. */
function callWith(client: SdkV1Client | SdkV2Client): Call {
  return async (tool, input = {}, answers = []) => {
    const messages: string[] = [];
    const result = await callAs(userWithAnswers(answers), client, tool, input, (message) =>
      messages.push(message),
    );
    const structured = { ...(result.structuredContent as object | undefined) };
    return { text: textOf(result), structured, isError: result.isError, progress: messages };
  };
}

/** Runs checks with one client. */
function checkWith(create: () => SdkV1Client | SdkV2Client, checks: Readonly<Record<string, Check>>): void {
  let client: SdkV1Client | SdkV2Client;
  beforeAll(async () => {
    client = create();
    await client.connect();
  });
  afterAll(() => client.close());

  it.each(Object.entries(checks))(verifies(["A1", "A3"], "%s does what it says"), async (_, check) => {
    // A check that fails throws.
    await expect(check(callWith(client))).resolves.toBeUndefined();
  });
}

const stdio = (args: readonly string[]): SdkV1Client => new SdkV1Client(stdioV1(args));

describe("an example", () => {
  let server: PhotonServer;
  let url: string;
  beforeAll(async () => {
    server = createServer({ tools });
    ({ url } = await server.listen());
  });
  afterAll(() => server.close());

  describe("over WebSocket", () => {
    checkWith(() => new SdkV1Client(webSocket(url)), served);
  });
  describe("over HTTP, in 2026-07-28", () => {
    checkWith(() => new SdkV2Client(httpV2(url)), served);
  });
  describe("over stdio, from its sources", () => {
    const folders = Object.keys(served).map((name) => at(`examples/${name}`));
    checkWith(() => stdio([photon, "serve", ...folders]), served);
  });
});

describe("an app of one's own", () => {
  let app: Awaited<ReturnType<typeof startExample>>;
  beforeAll(async () => {
    app = await startExample("08-mounting");
  });
  afterAll(() => app.close());
  const checks = { "08-mounting": mounting };

  describe("over WebSocket", () => {
    checkWith(() => new SdkV1Client(webSocket(`${app.url}/tools`)), checks);
  });
  describe("over HTTP, in 2026-07-28", () => {
    checkWith(() => new SdkV2Client(httpV2(`${app.url}/tools`)), checks);
  });
  describe("made with the SDK, over stdio", () => {
    checkWith(() => stdio([at("examples/dist/08-mounting/main.js"), "--stdio"]), checks);
  });

  it("keeps the routes it had", async () => {
    expect(await (await fetch(app.url)).text()).toBe("An app of your own.");
  });
});

/** Runs a program, with these lines as its stdin. */
async function runNode(args: readonly string[], lines: readonly string[] = []) {
  const child = spawn(process.execPath, args, { stdio: "pipe" });
  child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  const code = await new Promise((resolve) => {
    if (child.exitCode === null) child.once("exit", resolve);
    else resolve(child.exitCode);
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("07-testing", () => {
  it(verifies("A13", "has tests that any runner runs"), async () => {
    const { code, stdout } = await runNode(["--test", at("examples/dist/07-testing/quiz.test.js")]);

    expect(stdout).toContain("pass 3");
    expect(code).toBe(0);
  });
});

describe("03-ask, in a program of one's own", () => {
  const main = at("examples/dist/03-ask/main.js");

  it(verifies("A3", "books a room with the answers of a person"), async () => {
    const { code, stdout, stderr } = await runNode([main, "Rome"], ["3", "double", "y"]);

    expect(code).toBe(0);
    expect(stderr).toContain("Looking for rooms in Rome");
    expect(JSON.parse(stdout)).toMatchObject({ city: "Rome", room: "double", nights: 3 });
  });

  it(verifies("B3", "asks again, and says why, when an answer does not fit"), async () => {
    const { stdout, stderr } = await runNode([main], ["40", "3", "single", "y"]);

    expect(stderr).toContain("must be at most 30");
    expect(JSON.parse(stdout)).toMatchObject({ nights: 3 });
  });

  it(verifies("B5", "ends with an error that names the question when there is nobody to ask"), async () => {
    const { code, stdout, stderr } = await runNode([main]);

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('The question "How many nights?" (ask-1) was cancelled.');
  });
});
