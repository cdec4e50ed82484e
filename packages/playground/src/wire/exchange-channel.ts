/**
 * MCP of 2026-07-28 over HTTP: each request is a POST of its own, answered on its own stream.
 *
 * Hanging up on a request cancels it. There is no connection to lose; what cannot be reached has been lost.
 */
import type { Channel, Ear, Headers } from "./channel.ts";
import { routingHeaders } from "./headers.ts";
import { isRequest, type Outgoing, type RequestId } from "./message.ts";
import { post, refusalIn, sentenceIn, type Address } from "./post.ts";
import { isEventStream, readEvents } from "./read-events.ts";
import type { Surroundings } from "./surroundings.ts";

export function openExchangeChannel(
  address: Address,
  revision: string,
  ear: Ear,
  surroundings: Pick<Surroundings, "fetch">,
): Channel {
  const underWay = new Map<RequestId, AbortController>();
  let isOver = false;

  const end = (): void => {
    isOver = true;
    for (const over of underWay.values()) over.abort();
    underWay.clear();
  };

  async function carry(message: Outgoing, headers: Headers, over: AbortController): Promise<void> {
    const id = isRequest(message) ? message.id : undefined;
    const all = { ...headers, ...routingHeaders(message), "mcp-protocol-version": revision };
    try {
      const response = await post(address, message, all, surroundings, over.signal);
      const problem = await read(response, id);
      if (over.signal.aborted || id === undefined) return;
      ear.broke(id, problem);
    } catch {
      if (over.signal.aborted) return;
      if (id !== undefined) ear.broke(id, "The connection broke.");
      if (isOver) return;
      end();
      ear.lost("The server cannot be reached.");
    } finally {
      if (id !== undefined) underWay.delete(id);
    }
  }

  /** Reads what a request is answered with; then, what is wrong where the answer was not in it. */
  async function read(response: Response, id: RequestId | undefined): Promise<string> {
    const heard = (text: string, by: string): void => {
      if (!isOver) ear.heard(text, by, id);
    };
    if (isEventStream(response)) {
      await readEvents(response, { heard });
      return "The server ended the stream without an answer.";
    }
    const text = await response.text();
    const refusal = refusalIn(response, address, text);
    if (refusal !== undefined && !isOver) {
      end();
      ear.refused(refusal);
    }
    if (text !== "") heard(text, `${response.status} ${response.statusText}`.trim());
    return `The server answered with ${response.status}: ${sentenceIn(text)}`;
  }

  queueMicrotask(() => {
    if (!isOver) ear.opened();
  });
  return {
    by: `POST ${address.url.pathname}`,
    send(message, headers = {}) {
      if (isOver) return;
      const over = new AbortController();
      if (isRequest(message)) underWay.set(message.id, over);
      void carry(message, headers, over);
    },
    hangUp(id) {
      underWay.get(id)?.abort();
      return true;
    },
    close: end,
  };
}
