/** What HTTP answers with: a stream of events, or one piece of JSON. */
import { createParser } from "eventsource-parser";

export interface EventEar {
  /** A message; `by` says how it came. */
  heard(text: string, by: string): void;
  /** From here the rest can be asked for again. */
  numbered?(eventId: string): void;
  /** How long to wait before that, in milliseconds. */
  paused?(milliseconds: number): void;
}

export const isEventStream = ({ headers }: Response): boolean =>
  (headers.get("content-type") ?? "").startsWith("text/event-stream");

/** Settles when there is no more; rejects where the connection broke. */
export async function readEvents(response: Response, ear: EventEar): Promise<void> {
  const parser = createParser({
    onEvent({ id, event = "message", data }) {
      if (id !== undefined) ear.numbered?.(id);
      // An event without anything in it only says where one can come back to.
      if (data !== "" && event === "message") ear.heard(data, `event: ${event}`);
    },
    onRetry: (milliseconds) => ear.paused?.(milliseconds),
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    parser.feed(decoder.decode(part.value, { stream: true }));
}
