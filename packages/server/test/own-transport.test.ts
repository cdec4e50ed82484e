/** A transport as docs/transports.md shows it, of exported names only. */
import { once } from "node:events";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { tool } from "@photon/core";
import { expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { type ClientConnection, createServer, type PhotonServer } from "../src/index.ts";
import { overLines } from "../../../test/clients/carriers.ts";
import { callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet } from "./wire/tools.ts";

async function listening(server: PhotonServer): Promise<number> {
  const listener = createTcpServer((socket) => {
    const client: ClientConnection = {
      send: (message) => void socket.write(`${JSON.stringify(message)}\n`),
      close: () => void socket.end(),
      mayMergeReads: true,
    };
    socket.on("error", () => {});
    try {
      const handler = server.open(client);
      socket.on("close", () => void handler.close());
      createInterface({ input: socket }).on("line", (line) => {
        try {
          handler.receive(JSON.parse(line), line.length);
        } catch {
          socket.destroy();
        }
      });
    } catch {
      socket.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(async () => {
    await server.close();
    listener.close();
  });
  // It listens on a port.
  return (listener.address() as AddressInfo).port;
}

it(verifies("C1", "carries a question, its answer and the result over an author's transport"), async () => {
  const client = await overLines(await listening(createServer({ tools: [greet] })));
  await client.initialize();

  const id = client.begin("tools/call", callOf("greet"));
  await client.accept(await client.receive(), "Ada");

  expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
});

it("sends an error over an author's transport if a response is not JSON", async () => {
  const odd = tool({
    name: "odd",
    annotations: { title: 1n as unknown as string },
    async *run() {
      return "odd";
    },
  });
  const client = await overLines(await listening(createServer({ tools: [odd], report: () => {} })));
  await client.initialize();

  expect(await client.request("tools/list", {})).toMatchObject({ error: { code: -32603 } });
});

it("closes a connection over the limit, and keeps the others", async () => {
  const port = await listening(createServer({ tools: [echo], limits: { sessions: 1 } }));
  const first = await overLines(port);
  await first.initialize();

  const second = await overLines(port);
  await expect(second.initialize()).rejects.toThrow("the socket is closed");

  expect(textOf(await first.callTool("echo", { text: "still here" }))).toBe("still here");
});
