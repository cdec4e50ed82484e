/** The fields of a form that a browser sent. */
import type { IncomingMessage } from "node:http";
import { Writable } from "node:stream";
import type { Clock } from "@photon/core";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { isRecord } from "../jsonrpc/messages.ts";
import { brokenOff, notForm, tooLarge, tooSlow, unclear } from "./notices.ts";
import { pour, type Poured } from "../http/body.ts";
import type { Shown } from "./respond.ts";

const FORM_IDLE_MS = 10_000;
const TOTAL = 60_000;

/** Why a body was not taken, for whoever sent it. */
export const REFUSALS: Readonly<Record<Exclude<Poured, "whole">, Shown>> = {
  "too large": tooLarge,
  refused: tooLarge,
  "too slow": tooSlow,
  "broken off": brokenOff,
  unwanted: unclear,
};

/** Reads a form of up to so many bytes. What an app around us has parsed already is not parsed again. */
export async function receiveForm(
  request: IncomingMessage & { readonly body?: unknown },
  clock: Clock,
  bytes: number,
  signal?: AbortSignal,
): Promise<URLSearchParams | Shown> {
  if (!isOfType(request, "application/x-www-form-urlencoded")) return notForm;
  if (isRecord(request.body)) return entriesOf(request.body);
  const received = new GrowingBuffer();
  const sink = new Writable({
    write(part: Buffer, _, done) {
      received.append(part);
      done();
    },
  });
  const poured = await pour(request, sink, { clock, bytes, idle: FORM_IDLE_MS, total: TOTAL, signal });
  return poured === "whole" ? new URLSearchParams(received.toString()) : REFUSALS[poured];
}

/** Whether a body is what it is said to be, and nothing around it. */
export function isOfType({ headers }: IncomingMessage, type: string): boolean {
  const [given = ""] = (headers["content-type"] ?? "").split(";", 1);
  return given.trim().toLowerCase() === type && headers["content-encoding"] === undefined;
}

function entriesOf(body: { readonly [name: string]: unknown }): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(body)) {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    for (const value of values) if (typeof value === "string") form.append(name, value);
  }
  return form;
}
