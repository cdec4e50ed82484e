/**
 * One principal that sends several times as much as the heap holds, to a server with the limits it has by itself. The process
 * lives, and another principal is answered all the while. How long that takes is printed: on a busy machine it says little.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { bearer, initialize, post, tokens } from "../auth/callers.ts";
import { headersFor, overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { StatelessClient, textOf } from "../../../../test/clients/raw-client.ts";

const MIB = 1024 * 1024;
/** What the heap of the server holds, in mebibytes. */
const HEAP = 256;
const AT_ONCE = 4;
/** Each with 4 MiB of arguments, and with 16 MiB of events. */
const CALLS = 120;
const SESSIONS = 24;
/** The part of an attack that another principal may wait for one answer: a ratio is the same on a busy machine. */
const MOST_OF_IT = 0.5;
const ACCEPT = "application/json, text/event-stream";
const fixture = fileURLToPath(new URL("../fixtures/serve-with-little-heap.mjs", import.meta.url));
const [ada, eve] = [bearer(tokens.ada), bearer(tokens.eve)];

interface Served {
  readonly url: string;
  /** Whether the process has not ended. */
  readonly isAlive: () => boolean;
}

async function served(heap = HEAP): Promise<Served> {
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, fixture], {
    env: { PATH: process.env["PATH"], ADA: tokens.ada, EVE: tokens.eve },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), isAlive: () => child.exitCode === null && child.signalCode === null };
}

/** Does something so many times, a few at once. */
async function repeat(many: number, act: () => Promise<void>): Promise<void> {
  let left = many;
  const work = async (): Promise<void> => {
    while (left-- > 0) await act();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The latencies of another principal's calls while an attack goes on, in milliseconds. */
async function beside(url: string, attack: Promise<void>): Promise<readonly number[]> {
  const client = new StatelessClient(overStatelessHttp(url, eve));
  const latencies: number[] = [];
  const over = attack.then(() => true);
  const isOver = (): Promise<boolean> => Promise.race([over, Promise.resolve(false)]);
  while (!(await isOver())) {
    const began = performance.now();
    expect(textOf((await client.call("echo", { text: "in" })).answer)).toBe("in");
    latencies.push(performance.now() - began);
  }
  return latencies;
}

function assertPrompt(what: string, latencies: readonly number[]): void {
  const sorted = latencies.toSorted((one, other) => one - other);
  const [median = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  process.stdout.write(
    `Beside ${what}: ${sorted.length} calls, median ${median.toFixed(1)} ms, longest ${longest.toFixed(0)} ms.\n`,
  );
  expect(sorted.length).toBeGreaterThan(10);
  const all = sorted.reduce((sum, latency) => sum + latency, 0);
  expect(longest / all).toBeLessThan(MOST_OF_IT);
}

it(
  "480 MiB of arguments in calls that wait: most are refused, the process lives, and another principal is answered",
  { timeout: 60_000 },
  async () => {
    const { url, isAlive } = await served();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "asking",
        arguments: { text: "x".repeat(4 * MIB - 1000) },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
        },
      },
    };
    const body = Buffer.from(JSON.stringify(message));
    const answers: string[] = [];

    const attack = repeat(CALLS, async () => {
      const headers = { ...headersFor(message), ...ada } as Record<string, string>;
      const request = httpRequest(`${url}/mcp`, { method: "POST", agent, headers });
      request.end(body);
      const [response] = (await once(request, "response")) as [IncomingMessage];
      answers.push((await response.setEncoding("utf8").toArray()).join(""));
    });

    assertPrompt("calls that wait", await beside(url, attack));
    expect(isAlive()).toBe(true);
    const asked = answers.filter((answer) => answer.includes("input_required")).length;
    expect(answers).toHaveLength(CALLS);
    expect(answers.filter((answer) => answer.includes("limits.bytesPerPrincipal"))).toHaveLength(
      CALLS - asked,
    );
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(40);
  },
);

it(
  "384 MiB of events in the buffers of sessions: the oldest go, the process lives, and another principal is answered",
  { timeout: 60_000 },
  async () => {
    const { url, isAlive } = await served();

    const attack = repeat(SESSIONS, async () => {
      const begun = await post(`${url}/mcp`, initialize, ada);
      await begun.body();
      const session = { ...ada, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
      const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "debug" } };
      await (await post(`${url}/mcp`, level, session)).body();
      const call = {
        jsonrpc: "2.0",
        id: 3,
        method: "tools/call",
        params: { name: "telling", arguments: {} },
      };
      const headers = { ...session, "content-type": "application/json", accept: ACCEPT };
      const request = httpRequest(`${url}/mcp`, { method: "POST", agent: false, headers });
      request.end(JSON.stringify(call));
      const [response] = (await once(request, "response")) as [IncomingMessage];
      await once(response.resume(), "end");
    });

    assertPrompt("sessions with full buffers", await beside(url, attack));
    expect(isAlive()).toBe(true);
  },
);

it(
  "1 MiB in chunks of one byte each: the process lives with a heap of 64 MiB, and answers what they are together",
  { timeout: 60_000 },
  async () => {
    const { url, isAlive } = await served(64);
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    const message = { jsonrpc: "2.0", id: 7, method: "server/discover" };
    const head = { ...headersFor(message), ...ada, host: "localhost", "transfer-encoding": "chunked" };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    const chunksOf = (text: string): string => text.replaceAll(/./g, "1\r\n$&\r\n");

    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(chunksOf(" ".repeat(MIB)));
    socket.write(`${chunksOf(JSON.stringify(message))}0\r\n\r\n`);

    const [answer] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [unknown];
    expect(isAlive()).toBe(true);
    expect(String(answer)).toContain('"id":7');
  },
);
