import type { Duplex } from "node:stream";

/** Refuses a connection that asked to become a socket. */
export function hangUp(
  socket: Duplex,
  status: string,
  sentence = "",
  headers: { readonly [name: string]: string } = {},
): void {
  const head = [
    `HTTP/1.1 ${status}`,
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(sentence)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Nobody else listens: a client that is gone already must not bring the process down.
  socket.on("error", () => {});
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${sentence}`);
}
