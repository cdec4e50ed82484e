import { readMessage, type Request } from "./message.ts";

/** The requests in what came in: one message, or several. Of more than so many there are none: they are refused as a whole. */
export function requestsIn(value: unknown, most: number): readonly Request[] {
  if (Array.isArray(value) && value.length > most) return [];
  const requests: Request[] = [];
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const incoming = readMessage(one);
    if (incoming.kind === "request") requests.push(incoming.message);
  }
  return requests;
}
