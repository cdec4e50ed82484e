import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** How long a command may take to end by itself, in milliseconds. */
const PATIENCE = 500;

/**
 * A command that is a server, and what it writes to stderr.
 *
 * A class of its own, so that the client asks this very process what it speaks: of the SDK's own class it starts a
 * second one to find out, and a command may do anything.
 */
export class CommandTransport extends StdioClientTransport {
  /** `tell` hears what the command writes to stderr, line by line. */
  constructor(
    command: { readonly command: string; readonly args: readonly string[] },
    { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
    tell: (line: string) => void,
  ) {
    const variables = Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    super({
      command: command.command,
      args: [...command.args],
      cwd,
      // It was typed here, so it runs as anything does that is typed here.
      env: Object.fromEntries(variables),
      stderr: "pipe",
    });
    if (this.stderr instanceof Readable) createInterface({ input: this.stderr }).on("line", tell);
  }

  /** Many servers do not end with their input. The SDK gives them two seconds; nobody wants to wait that long. */
  override async close(): Promise<void> {
    const { pid } = this;
    const end = (): void => {
      try {
        if (pid !== null) process.kill(pid, "SIGTERM");
      } catch {
        // It has ended, and something that it started holds its pipes.
      }
    };
    const timer = setTimeout(end, PATIENCE);
    await super.close();
    clearTimeout(timer);
  }
}
