import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createServer } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { accept } from "./answers.ts";
import { everything } from "./guest.ts";
import { Happenings } from "./happenings.ts";
import { dialModernHttp, dialModernStdio, dialModernWebSocket, type ModernDialled } from "./modern-dial.ts";
import { ModernGuest } from "./modern-guest.ts";

const stdioServer = fileURLToPath(new URL("stdio-server.mjs", import.meta.url));

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

const question = {
  message: "Name?",
  requestedSchema: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
};
const asking = {
  resultType: "input_required",
  inputRequests: { name: { method: "elicitation/create", params: question } },
  requestState: "sealed",
};

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params: { readonly inputResponses?: unknown; readonly requestState?: unknown };
}

/** As the specification has it: asks once, then tells what it was answered. */
function answer({ method, params: { inputResponses, requestState } }: Request): unknown {
  if (method === "server/discover") return discovered;
  if (inputResponses === undefined) return asking;
  const text = JSON.stringify({ inputResponses, requestState });
  return { resultType: "complete", content: [{ type: "text", text }] };
}

/** The address of a WebSocket server that speaks by the letter. */
async function listen(subprotocol: string | false): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => subprotocol });
  onTestFinished(() => {
    server.close();
  });
  server.on("connection", (socket) => {
    socket.on("message", (frame: Buffer) => {
      // The other side is the client of the SDK.
      const request = JSON.parse(frame.toString("utf8")) as Request;
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: answer(request) }));
    });
  });
  await new Promise((resolve) => {
    server.on("listening", resolve);
  });
  // A server that listens on a port has an address with that port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listenWithSessions(): Promise<string> {
  const server = createServer({ name: "sessions", maxRevision: "2025-11-25" });
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  return url;
}

describe("a guest of 2026-07-28", () => {
  it("answers what a call asks, calls again with the answer, and takes its own rounds for no progress", async () => {
    const guest = new ModernGuest(dialModernWebSocket(await listen("mcp")), everything);
    onTestFinished(() => guest.client.close());
    const seen: unknown[] = [];
    guest.answer = accept({ value: "Ada" });

    await guest.arrive();
    const { text } = await guest.call("greet", {}, { onprogress: (progress) => seen.push(progress) });

    expect(guest.revision).toBe("2026-07-28");
    expect(guest.questions).toEqual([question]);
    expect(JSON.parse(text)).toEqual({
      inputResponses: { name: { action: "accept", content: { value: "Ada" } } },
      requestState: "sealed",
    });
    expect(seen).toEqual([]);
  });

  it("stays away from a socket that does not speak the subprotocol", async () => {
    const guest = new ModernGuest(dialModernWebSocket(await listen(false)), everything);

    await expect(guest.arrive()).rejects.toThrow("Server sent no subprotocol");
  });

  it.each<[string, () => Promise<ModernDialled>]>([
    ["WebSocket", async () => dialModernWebSocket(await listenWithSessions())],
    ["Streamable HTTP", async () => dialModernHttp(await listenWithSessions())],
    ["stdio", () => Promise.resolve(dialModernStdio([stdioServer, "2025-11-25"], new Happenings()))],
  ])("does not make do with a session over %s", { timeout: 20_000 }, async (_, dial) => {
    const guest = new ModernGuest(await dial(), everything);

    await expect(guest.arrive()).rejects.toMatchObject({ code: "ERA_NEGOTIATION_FAILED" });
  });
});
