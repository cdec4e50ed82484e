/** What lies between a page and its server, and can be cut. */
import { createServer, connect, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export class Cable {
  readonly #far: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #near = 0;

  private constructor(far: number) {
    this.#far = far;
  }

  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port);
    await cable.mend();
    onTestFinished(() => cable.cut());
    return cable;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#near}`;
  }

  /** Nothing passes any more, until it is mended. */
  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#server === undefined) resolve();
      else this.#server.close(() => resolve());
    });
    this.shake();
    await closed;
    this.#server = undefined;
  }

  async mend(): Promise<void> {
    const server = createServer((socket) => this.#join(socket));
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(this.#near, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (typeof address === "object" && address !== null) this.#near = address.port;
  }

  /** Every connection is lost; others can be made at once. */
  shake(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    const far = connect(this.#far, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on("error", () => {});
      one.once("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
