/** A stream, as far as it tells that it takes more, or is gone. */
interface Draining {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const waits = new WeakMap<Draining, Promise<void>>();

/** Settles when a stream that is full takes more, or is gone. However many wait, they wait with one set of listeners. */
export function drained(stream: Draining): Promise<void> {
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
