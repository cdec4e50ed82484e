/** Lines over the pipes of a process. */
import type { Address, Ears, Wire } from "./wire.ts";

export function overStdio({ stdin, stdout }: Address, ears: Ears): Wire {
  let rest = "";
  stdout.setEncoding("latin1");
  stdout.on("data", (chunk: string) => {
    rest += chunk;
    let from = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      ears.hear(rest.slice(from, end));
      from = end + 1;
    }
    rest = rest.slice(from);
  });
  stdout.on("end", () => ears.fail(new Error("The server's stdout has ended.")));
  stdin.on("error", (error) => ears.fail(error));
  return { send: (text) => void stdin.write(`${text}\n`, "latin1"), close: () => void stdin.end() };
}
