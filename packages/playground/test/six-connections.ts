/** `fetch` as a browser has it: six connections to a server, and whatever else is asked for waits for one. */
const MOST = 6;

export function sixConnections(): (address: string, init: RequestInit) => Promise<Response> {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    taken -= 1;
    waiting.shift()?.();
  };
  const enter = async (signal: AbortSignal | null | undefined): Promise<void> => {
    if (taken >= MOST)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    taken += 1;
    if (signal?.aborted !== true) return;
    leave();
    signal.throwIfAborted();
  };
  return async (address, init) => {
    await enter(init.signal);
    try {
      const response = await fetch(address, init);
      const [one, other] = response.body?.tee() ?? [null, null];
      void drained(other).finally(leave);
      return new Response(one, { status: response.status, headers: response.headers });
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Settles when there is nothing more to read. */
async function drained(stream: ReadableStream<Uint8Array> | null): Promise<void> {
  try {
    const reader = stream?.getReader();
    for (let part = await reader?.read(); part?.done === false;) part = await reader?.read();
  } catch {
    // Hung up on: that is the end of it, too.
  }
}
