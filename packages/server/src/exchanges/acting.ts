import type { Performance } from "../calls/call-runner.ts";
import type { ModernFront } from "./modern-front.ts";

/**
 * The call itself, and its client's side.
 *
 * A class: where thousands of calls wait, V8 comes to make in old memory at once what a literal makes, for every call. What
 * leads from there stays until all of memory is looked through, and from here that is the whole call.
 */
export class Acting {
  readonly performance: Performance;
  readonly front: ModernFront;

  constructor(performance: Performance, front: ModernFront) {
    this.performance = performance;
    this.front = front;
  }
}
