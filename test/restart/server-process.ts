/** Servers as processes of their own, which can be killed. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("serve.mjs", import.meta.url));

export class ServerProcess {
  readonly url: string;
  readonly pid: number | undefined;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.pid = process.pid;
    this.url = url;
  }

  /** Starts one that writes to the ledger in a folder; it seals with the first of the keys. */
  static async start(folder: string, ...keys: readonly string[]): Promise<ServerProcess> {
    const child = spawn(process.execPath, [program, folder], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PHOTON_KEYS: keys.join(",") },
    });
    const lines = createInterface({ input: child.stdout });
    const [url] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as readonly unknown[];
    if (typeof url !== "string") throw new Error(`The server ended before it listened: ${String(url)}`);
    return new ServerProcess(child, url);
  }

  /** Ends it at once, whatever it is doing. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exit;
  }
}
