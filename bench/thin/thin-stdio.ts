/** The thin server over stdio. */
import { handleMessage, type Message } from "./thin-server.ts";

export function serveThinStdio(): void {
  let rest = "";
  const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    // Not validated.
    for (const line of lines) handleMessage(JSON.parse(line) as Message, send);
  });
}
