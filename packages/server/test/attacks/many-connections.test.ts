/** One address that opens as many connections as it can, and sends no whole request on them: others are still served. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listening } from "../wire/servers.ts";
import { overWebSocket } from "../../../../test/clients/carriers.ts";
import { echo } from "../wire/tools.ts";

/** A connection from an address of this machine, with a head that is not whole. */
async function begun(url: string, localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}).resume();
  await once(socket, "connect");
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n");
  return socket;
}

/** Whether a connection is answered when its head is whole. */
function isServed(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.closed) resolve(false);
    socket.once("data", () => resolve(true)).once("close", () => resolve(false));
    socket.write("\r\n");
  });
}

describe("connections", () => {
  it("over the limit of their address are closed; another address is served, and one that ends makes room", async () => {
    const { url } = await listening({ tools: [echo], limits: { connectionsPerAddress: 3 } });
    const open = [];
    for (let count = 0; count < 3; count++) open.push(await begun(url, "127.0.0.1"));

    expect(await isServed(await begun(url, "127.0.0.1"))).toBe(false);
    expect(await isServed(await begun(url, "127.0.0.2"))).toBe(true);
    open[0]?.destroy();
    await vi.waitFor(async () => expect(await isServed(await begun(url, "127.0.0.1"))).toBe(true));
  });

  it("over the limit of all are closed, whatever their address is", async () => {
    const { url } = await listening({ tools: [echo], limits: { connections: 3 } });
    for (let count = 0; count < 3; count++) await begun(url, `127.0.0.${count + 1}`);

    expect(await isServed(await begun(url, "127.0.0.9"))).toBe(false);
  });

  it("that have become WebSockets count as sessions, and not for their address", async () => {
    const { url } = await listening({ tools: [echo], limits: { connectionsPerAddress: 2 } });

    for (let count = 0; count < 5; count++) {
      const client = await overWebSocket(url);
      expect((await client.initialize()).error).toBeUndefined();
    }
  });
});
