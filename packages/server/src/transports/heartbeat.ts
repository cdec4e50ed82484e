import type { WebSocket } from "ws";
import type { Settings } from "../settings.ts";

/** How often a client is asked for a sign of life; one that gave none since the last time is gone. */
const KEEP_ALIVE = 30_000;

/** Asks every client for a sign of life again and again, as long as there are any; who gave none is hung up on. */
export class Heartbeat {
  readonly #sockets: ReadonlySet<WebSocket>;
  readonly #clock: Settings["clock"];
  readonly #alive = new WeakSet<WebSocket>();
  #stop: (() => void) | undefined;
  /** One of each for all sockets: there may be thousands. */
  readonly #onPong: (this: WebSocket) => void;
  readonly #onClose: () => void;

  constructor(sockets: ReadonlySet<WebSocket>, clock: Settings["clock"]) {
    this.#sockets = sockets;
    this.#clock = clock;
    const alive = this.#alive;
    this.#onPong = function () {
      alive.add(this);
    };
    this.#onClose = () => {
      if (this.#sockets.size === 0) this.stop();
    };
  }

  add(socket: WebSocket): void {
    this.#alive.add(socket);
    socket.on("pong", this.#onPong);
    socket.on("close", this.#onClose);
    this.#wait();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(): void {
    this.#stop ??= this.#clock.after(KEEP_ALIVE, () => {
      this.#stop = undefined;
      for (const socket of this.#sockets) {
        if (this.#alive.delete(socket)) socket.ping();
        else socket.terminate();
      }
      if (this.#sockets.size > 0) this.#wait();
    });
  }
}
