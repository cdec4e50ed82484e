/** Pages of a server on stdio: on a port of their own, as long as there are any. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { transports } from "../wire/servers.ts";
import { readLines } from "../../../../test/clients/carriers.ts";
import { MessageQueue } from "../../../../test/clients/messages.ts";
import { RawClient, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { answerPage, statusAt } from "./person.ts";
import { login } from "./tools.ts";

const program = fileURLToPath(new URL("serve-stdio.mjs", import.meta.url));

/** A server in a process of its own, from the build. */
function start(): { readonly child: ChildProcessWithoutNullStreams; readonly client: RawClient } {
  const child = spawn(process.execPath, [program]);
  const exit = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  const inbox = new MessageQueue();
  readLines(child.stdout, (line) => inbox.push(JSON.parse(line)));
  const gone = exit.then(() => inbox.end("the process has ended"));
  const client = new RawClient(
    {
      async sendText(text) {
        child.stdin.write(`${text}\n`);
      },
      async close() {
        child.stdin.end();
        await gone;
      },
      gone,
    },
    inbox,
  );
  return { child, client };
}

describe("a server on stdio", () => {
  it(
    verifies(["B6", "C1"], "has its pages on loopback, and does not outlive its client for them"),
    async () => {
      const { child, client } = start();
      await client.initialize();
      const id = client.begin("tools/call", callOf("login"));
      const question = await client.receive();
      const url = String(question.params?.["url"]);

      await client.reply(question, { action: "accept" });
      await answerPage(url, "correct horse");
      const done = await client.answerTo(id);
      await client.close();

      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ask\//);
      expect(textOf(done)).toBe("13");
      expect(child.exitCode).toBe(0);
    },
  );

  it("stops to listen a while after the last page", async () => {
    const clock = countingClock();
    const client = await (await transports.stdio({ tools: [login], clock })).connect();
    await client.initialize();
    const id = client.begin("tools/call", callOf("login"));
    const question = await client.receive();
    const url = String(question.params?.["url"]);
    await answerPage(url, "correct horse");
    await client.answerTo(id);
    const lingering = await statusAt(url);

    clock.leap(30_000);

    expect(lingering).toBe(410);
    await expect
      .poll(() => statusAt(url).catch((error: unknown) => (error as NodeJS.ErrnoException).code))
      .toBe("ECONNREFUSED");
  });

  it("listens anew for the next page", async () => {
    const clock = countingClock();
    const client = await (await transports.stdio({ tools: [login], clock })).connect();
    await client.initialize();
    const urls: string[] = [];
    for (let at = 0; at < 2; at++) {
      const id = client.begin("tools/call", callOf("login"));
      const url = String((await client.receive()).params?.["url"]);
      urls.push(url);
      await answerPage(url, "correct horse");
      expect(textOf(await client.answerTo(id))).toBe("true 13 [secret]");
      clock.leap(30_000);
    }

    expect(new Set(urls).size).toBe(2);
  });
});
