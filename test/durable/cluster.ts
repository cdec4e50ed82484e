/** Server processes on one store, which are killed one after another and started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("serve-node.mjs", import.meta.url));
const KEYS = "the key of all of these processes at the same time";

interface Node {
  readonly url: string;
  readonly process: ChildProcess;
}

export class Cluster {
  readonly #words: readonly string[];
  readonly #nodes: Node[];

  private constructor(words: readonly string[], nodes: Node[]) {
    this.#words = words;
    this.#nodes = nodes;
  }

  static async start(count: number, ...words: readonly string[]): Promise<Cluster> {
    return new Cluster(words, await Promise.all(Array.from({ length: count }, () => started(words))));
  }

  /** Where each was reached last; one that was killed is not until it is back. */
  get urls(): readonly string[] {
    return this.#nodes.map(({ url }) => url);
  }

  /** Kills one, and starts it again. */
  async replace(index: number): Promise<void> {
    const node = this.#nodes[index];
    if (node !== undefined) await kill(node);
    this.#nodes[index] = await started(this.#words);
  }

  async end(): Promise<void> {
    await Promise.all(this.#nodes.map(kill));
  }
}

async function started(words: readonly string[]): Promise<Node> {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, PHOTON_KEYS: KEYS },
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([once(lines, "line"), once(child, "exit")])) as readonly unknown[];
  if (typeof url !== "string") throw new Error(`The server ended before it listened: ${String(url)}`);
  return { url, process: child };
}

async function kill({ process: child }: Node): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
