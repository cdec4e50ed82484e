/** A server process that dies where it is told to. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

export class Victim {
  readonly url: string;
  /** The signal it was ended by, once it is. */
  readonly ended: Promise<string | null>;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, url: string) {
    this.#process = child;
    this.#lines = lines;
    this.url = url;
    this.ended = once(child, "exit").then(([, signal]: unknown[]) => signal as string | null);
  }

  static async start(store: string, folder: string, keys: string): Promise<Victim> {
    const child = spawn(process.execPath, [program, store, folder], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, PHOTON_KEYS: keys },
    });
    // Its input may break with it.
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value } = (await lines.next()) as IteratorResult<string, undefined>;
    if (value === undefined) throw new Error("The server ended before it listened.");
    return new Victim(child, lines, value);
  }

  /** Makes it die at a point of the next run. */
  async arm(point: string): Promise<void> {
    this.#process.stdin?.write(`${point}\n`);
    await this.#lines.next();
  }

  /** Ends it, if it has not. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }
}
