/** stdio: one message per line, over the pipes of a process. */
import type { Address, Connection, ConnectionHandler } from "./connection.ts";

export function connectStdio({ stdin, stdout }: Address, handler: ConnectionHandler): Connection {
  let rest = "";
  stdout.setEncoding("latin1");
  stdout.on("data", (chunk: string) => {
    rest += chunk;
    let from = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      handler.onMessage(rest.slice(from, end));
      from = end + 1;
    }
    rest = rest.slice(from);
  });
  stdout.on("end", () => handler.onError(new Error("The server closed its stdout.")));
  stdin.on("error", (error) => handler.onError(error));
  return { send: (text) => void stdin.write(`${text}\n`, "latin1"), close: () => void stdin.end() };
}
