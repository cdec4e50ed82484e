/**
 * Leads the body of a request somewhere, within bounds.
 *
 * Nobody sends more than fits, nor so slowly that it never ends. Whoever is refused in the middle is listened to for
 * a while, else browsers would not hear why.
 */
import type { IncomingMessage } from "node:http";
import type { Clock } from "@photon/core";

export interface Bounds {
  readonly clock: Clock;
  /** How large it may be, in bytes. */
  readonly bytes: number;
  /** How long nothing may come, in milliseconds. */
  readonly idle: number;
  /** How long all of it may take, in milliseconds: as long as it comes, without this. */
  readonly total?: number;
  /** How much must come in every so long, in bytes: anything, without this. */
  readonly least?: number;
  /** Aborted when it is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/** Where it goes: a stream, or whatever takes it as one does. */
export interface Sink {
  write(part: Buffer): boolean;
  end(): unknown;
  on(event: "drain", listener: () => void): unknown;
  off(event: "drain", listener: () => void): unknown;
}

export type Poured = "whole" | "too large" | "too slow" | "broken off" | "unwanted";

/** How long the rest of what was refused is thrown away before the line is cut. */
const LINGER = 10_000;

/** Settles when the body is through, or will not be. The sink is ended with it, and left alone otherwise. */
export async function pour(request: IncomingMessage, sink: Sink, bounds: Bounds): Promise<Poured> {
  const { bytes, signal } = bounds;
  let poured: Poured = "unwanted";
  if (Number(request.headers["content-length"] ?? 0) > bytes) poured = "too large";
  else if (request.readableEnded) poured = "whole";
  else if (signal?.aborted !== true) poured = await flow(request, sink, bounds);
  if (poured === "whole") sink.end();
  return poured;
}

function flow(
  request: IncomingMessage,
  sink: Sink,
  { clock, bytes, idle, total = Infinity, least = 0, signal }: Bounds,
): Promise<Poured> {
  return new Promise((resolve) => {
    const began = clock.now();
    let last = began;
    let size = 0;
    // What had come at the time that it was last enough.
    let enough = { at: began, size };
    let stopWatch = (): void => {};
    const take = (part: Buffer): void => {
      last = clock.now();
      size += part.length;
      if (size > bytes) return end("too large");
      if (!sink.write(part)) request.pause();
    };
    const goOn = (): void => void request.resume();
    const unwanted = (): void => end("unwanted");
    const whole = (): void => end("whole");
    const broken = (): void => end("broken off");
    const watch = (): void => {
      const now = clock.now();
      if (now >= enough.at + idle && size - enough.size >= least) enough = { at: now, size };
      const until = Math.min(last + idle, enough.at + idle, began + total);
      if (now >= until) return end("too slow");
      stopWatch = clock.after(until - now, watch);
    };
    function end(poured: Poured): void {
      stopWatch();
      request.off("data", take).off("end", whole).off("error", broken).off("close", broken);
      sink.off("drain", goOn);
      signal?.removeEventListener("abort", unwanted);
      resolve(poured);
    }
    request.on("data", take).on("end", whole).on("error", broken).on("close", broken);
    sink.on("drain", goOn);
    signal?.addEventListener("abort", unwanted);
    watch();
  });
}

/** Throws away what still comes of a request that is answered already, for a while. */
export function discard(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  request.on("error", () => {});
  const stop = clock.after(LINGER, () => request.destroy());
  request.once("end", stop).once("close", stop).resume();
}
