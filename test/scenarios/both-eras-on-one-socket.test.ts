/** A session, and requests that stand alone, on one and the same WebSocket. No client of the SDK does that; a gateway may. */
import { createServer } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../requirements.ts";
import { Happenings } from "./happenings.ts";
import { cast } from "./tools.mjs";

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
}

/** What a request says of itself that stands alone. */
const alone = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

const accepted = (value: unknown): Fields => ({ action: "accept", content: { value } });

/** A socket, by hand. */
class Socket {
  readonly #socket: WebSocket;
  readonly #heard = new Happenings<Message>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (frame: Buffer) => {
      // The other side is the server under test; what a message lacks, the tests miss.
      this.#heard.add(JSON.parse(frame.toString("utf8")) as Message);
    });
  }

  send(message: Fields): void {
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  call(id: number, name: string, input: Fields, more: Fields = {}): void {
    this.send({ id, method: "tools/call", params: { name, arguments: input, ...more } });
  }

  /** What was answered to a request. */
  async answerTo(id: number | string): Promise<Fields> {
    const { result } = await this.#first((message) => message.id === id && message.method === undefined);
    return result ?? {};
  }

  /** A request of the server's. */
  asked(): Promise<Message> {
    return this.#first(({ method }) => method === "elicitation/create");
  }

  async #first(isIt: (message: Message) => boolean): Promise<Message> {
    await this.#heard.until(isIt);
    return this.#heard.all.find(isIt) ?? {};
  }
}

/** A socket on which a session has begun, after a look at what else the server speaks. */
async function openSocket(told: Happenings<string>): Promise<Socket> {
  const server = createServer(cast({ tell: (line) => told.add(line), replace() {} }));
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  const raw = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  await new Promise((resolve) => {
    raw.once("open", resolve);
  });
  const socket = new Socket(raw);
  socket.send({ id: "look", method: "server/discover", params: { _meta: alone } });
  await expect(socket.answerTo("look")).resolves.toMatchObject({ supportedVersions: ["2026-07-28"] });
  const about = { clientInfo: { name: "both", version: "1" }, capabilities: { elicitation: {} } };
  socket.send({ id: "begin", method: "initialize", params: { protocolVersion: "2025-06-18", ...about } });
  await expect(socket.answerTo("begin")).resolves.toMatchObject({ protocolVersion: "2025-06-18" });
  socket.send({ method: "notifications/initialized" });
  return socket;
}

const text = (result: string): Fields => ({ content: [{ type: "text", text: result }] });

describe("one socket that speaks both eras", () => {
  it(verifies(["C2", "C6"], "is asked in both at once, and each answer goes where it belongs"), async () => {
    const socket = await openSocket(new Happenings());

    socket.call(1, "numbered", { number: 1 });
    socket.call(2, "numbered", { number: 2 }, { _meta: alone });
    const question = await socket.asked();
    const { inputRequests, requestState } = await socket.answerTo(2);
    const inputResponses = { "ask-1": accepted("alone") };
    socket.call(3, "numbered", { number: 2 }, { _meta: alone, inputResponses, requestState });
    const second = await socket.answerTo(3);
    socket.send({ id: question.id, result: accepted("in a session") });

    expect(question.params).toMatchObject({ message: "Question 1?" });
    expect(inputRequests).toMatchObject({ "ask-1": { params: { message: "Question 2?" } } });
    expect(second).toMatchObject({ resultType: "complete", ...text("2: alone") });
    await expect(socket.answerTo(1)).resolves.toEqual(text("1: in a session"));
  });

  it(verifies(["C2", "B8"], "ends a call of one without a word to the other"), async () => {
    const told = new Happenings<string>();
    const socket = await openSocket(told);

    socket.call(1, "waits", {});
    const question = await socket.asked();
    socket.call(2, "works", {}, { _meta: alone });
    await told.until((line) => line === "works began");
    socket.send({ method: "notifications/cancelled", params: { requestId: 2, _meta: alone } });
    await told.until((line) => line === "works ended");
    socket.send({ id: question.id, result: accepted(true) });

    await expect(socket.answerTo(1)).resolves.toEqual(text("true"));
  });
});
