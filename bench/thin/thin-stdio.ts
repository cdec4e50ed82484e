/** The thin server at stdin and stdout. */
import type { Message } from "./message.ts";
import { answer } from "./thin-server.ts";

export function serveThinStdio(): void {
  let rest = "";
  const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    // It checks nothing.
    for (const line of lines) answer(JSON.parse(line) as Message, send);
  });
}
