/**
 * A balancer that sends each request to the next of the servers.
 *
 * A server that refuses the connection was sent nothing, and the next one is tried. A connection that breaks later breaks for
 * the client as well.
 */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";

export interface Proxy {
  readonly url: string;
  end(): Promise<void>;
}

export async function startProxy(servers: () => readonly string[]): Promise<Proxy> {
  let turn = 0;
  const next = (): string => {
    const urls = servers();
    turn += 1;
    return urls[turn % urls.length] ?? "";
  };

  function pass(incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, tries: number): void {
    const { method, headers, url = "" } = incoming;
    const to = new URL(url, next());
    const passed = request(to, { agent: false, method, headers: { ...headers, host: to.host } });
    passed.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    passed.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" && tries > 1) pass(incoming, body, outgoing, tries - 1);
      else outgoing.destroy();
    });
    outgoing.on("close", () => passed.destroy());
    passed.end(body);
  }

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => pass(incoming, Buffer.concat(chunks), outgoing, servers().length));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A socket has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async end() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
