import { readMessage, type Request } from "./message.ts";

/** The requests in what came in: one message, or several. */
export function requestsIn(value: unknown): readonly Request[] {
  const requests: Request[] = [];
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const incoming = readMessage(one);
    if (incoming.kind === "request") requests.push(incoming.message);
  }
  return requests;
}
