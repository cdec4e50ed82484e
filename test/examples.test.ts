import { spawn } from "node:child_process";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
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
import { arrive, arriveModern, type Caller } from "./kitchen-sink/caller.ts";
import { speaker } from "./kitchen-sink/person.ts";
import { at, photon, startExample } from "./kitchen-sink/processes.ts";
import { textOf } from "./kitchen-sink/told.ts";
import { verifies } from "./requirements.ts";
import { dialWebSocket } from "./scenarios/dial-websocket.ts";

/** The examples that are nothing but tools. */
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

/** A client as a check sees it. */
function callBy(caller: Caller): Call {
  return async (tool, input = {}, answers = []) => {
    const messages: string[] = [];
    const result = await caller.call(tool, input, speaker(answers), (message) => messages.push(message));
    const structured = { ...(result.structuredContent as object | undefined) };
    return { text: textOf(result), structured, isError: result.isError, progress: messages };
  };
}

/** Runs checks by one client. */
function checkBy(come: () => Promise<Caller>, checks: Readonly<Record<string, Check>>): void {
  let caller: Caller;
  beforeAll(async () => {
    caller = await come();
  });
  afterAll(() => caller.close());

  it.each(Object.entries(checks))(verifies(["A1", "A3"], "%s does what it says"), async (_, check) => {
    // It throws what is wrong.
    await expect(check(callBy(caller))).resolves.toBeUndefined();
  });
}

const stdio = (args: readonly string[]): Promise<Caller> =>
  arrive(new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" }));

describe("an example", () => {
  let server: PhotonServer;
  let url: string;
  beforeAll(async () => {
    server = createServer({ tools });
    ({ url } = await server.listen());
  });
  afterAll(() => server.close());

  describe("over WebSocket", () => {
    checkBy(() => arrive(dialWebSocket(url).transport), served);
  });
  describe("over HTTP, in 2026-07-28", () => {
    checkBy(() => arriveModern(url), served);
  });
  describe("over stdio, from its sources", () => {
    const folders = Object.keys(served).map((name) => at(`examples/${name}`));
    checkBy(() => stdio([photon, "serve", ...folders]), served);
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
    checkBy(() => arrive(dialWebSocket(`${app.url}/tools`).transport), checks);
  });
  describe("over HTTP, in 2026-07-28", () => {
    checkBy(() => arriveModern(`${app.url}/tools`), checks);
  });
  describe("made with the SDK, over stdio", () => {
    checkBy(() => stdio([at("examples/dist/08-mounting/main.js"), "--stdio"]), checks);
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
