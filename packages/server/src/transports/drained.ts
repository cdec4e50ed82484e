import type { Writable } from "node:stream";

const waits = new WeakMap<Writable, Promise<void>>();

/** Settles when a stream that is full takes more, or is gone. However many wait, they wait with one set of listeners. */
export function drained(stream: Writable): Promise<void> {
  const waiting = waits.get(stream);
  if (waiting !== undefined) return waiting;
  const wait = new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close", "error"]) stream.off(event, done);
      waits.delete(stream);
      resolve();
    };
    for (const event of ["drain", "close", "error"]) stream.on(event, done);
  });
  waits.set(stream, wait);
  return wait;
}
