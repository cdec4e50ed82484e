/** Reads server-sent events, as they come. */

export type TakeEvent = (data: string, event: string) => void;

export class EventReader {
  readonly #take: TakeEvent;
  #rest = "";

  constructor(take: TakeEvent) {
    this.#take = take;
  }

  take(part: string): void {
    this.#rest += part;
    let from = 0;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n", from)) {
      this.#read(this.#rest.slice(from, end));
      from = end + 2;
    }
    this.#rest = this.#rest.slice(from);
  }

  #read(block: string): void {
    let data = "";
    let event = "message";
    for (const line of block.split("\n")) {
      if (line.startsWith("data: ")) data += line.slice(6);
      else if (line.startsWith("event: ")) event = line.slice(7);
    }
    // Without data it is a comment, or only tells where a stream stands.
    if (data !== "") this.#take(data, event);
  }
}
