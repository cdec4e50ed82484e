/** A parser of server-sent events. */

export type OnEvent = (data: string, event: string) => void;

export class EventReader {
  readonly #onEvent: OnEvent;
  #rest = "";

  constructor(onEvent: OnEvent) {
    this.#onEvent = onEvent;
  }

  push(part: string): void {
    this.#rest += part;
    let from = 0;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n", from)) {
      this.#parse(this.#rest.slice(from, end));
      from = end + 2;
    }
    this.#rest = this.#rest.slice(from);
  }

  #parse(block: string): void {
    let data = "";
    let event = "message";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("event: ")) event = line.slice(7);
    }
    // A block without data is a comment, or an event id alone.
    if (data !== "") this.#onEvent(data, event);
  }
}
