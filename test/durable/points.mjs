/**
 * The points at which a process can be killed: it passes them one after another, and at the one it was told of it is gone.
 *
 * Each is written down before, in a file that outlives the process. Nothing is passed before it is armed.
 */
import { appendFileSync } from "node:fs";

export class Points {
  /**
   * @readonly
   * @type {string}
   */
  #trace;
  /** @type {string | undefined} */
  #fatal;
  #armed = 0;
  /**
   * @readonly
   * @type {Map<string, number>}
   */
  #counts = new Map();

  /** @param {string} trace the file of the points that were passed */
  constructor(trace) {
    this.#trace = trace;
  }

  /**
   * From now on points are counted, from the first.
   * @param {string} fatal the one to die at
   */
  arm(fatal) {
    this.#fatal = fatal;
    this.#armed += 1;
    this.#counts.clear();
  }

  /** @param {string} point */
  pass(point) {
    if (this.#armed === 0) return;
    appendFileSync(this.#trace, `${point}\n`);
    if (point === this.#fatal) process.kill(process.pid, "SIGKILL");
  }

  /**
   * Passes the point before the next of a kind; gives back what passes the one after it.
   * @param {string} kind
   */
  begin(kind) {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    const armed = this.#armed;
    this.#counts.set(kind, number);
    this.pass(`before ${kind} ${number}`);
    return () => {
      // What began before it was armed is not counted.
      if (armed === this.#armed) this.pass(`after ${kind} ${number}`);
    };
  }
}
