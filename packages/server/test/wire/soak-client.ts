/** A client that calls, answers, cancels, reconnects, closes and cuts its connection at random. */
import {
  type CuttableClient,
  type HttpClient,
  overHttp,
  overWebSocket,
} from "../../../../test/clients/carriers.ts";
import { type Message, isResponseTo, hasMethod } from "../../../../test/clients/messages.ts";
import { callOf, textOf } from "../../../../test/clients/raw-client.ts";
import type { Random } from "./random.ts";

/** What has come of the calls. */
export interface Tally {
  answered: number;
  /** Results that are not the ones they ought to be. */
  readonly wrong: string[];
  cancelled: number;
  /** The client took its leave while it was asked. */
  closedCount: number;
  /** The client was gone without a word, while it was asked or before it had the result. */
  cutCount: number;
  /** Beside all this: how often a client lost its streams and came back. */
  reconnected: number;
  /** The cut connections whose sessions stay until they are idle. */
  idleSessions: number;
}

type Client = CuttableClient & Partial<HttpClient>;

export class Soaking {
  readonly #url: string;
  readonly #carrier: "websocket" | "http";
  readonly #random: Random;
  readonly #tally: Tally;

  constructor(url: string, carrier: "websocket" | "http", random: Random, tally: Tally) {
    this.#url = url;
    this.#carrier = carrier;
    this.#random = random;
    this.#tally = tally;
  }

  /** Makes so many calls, over as many connections as that takes. Gives the last one. */
  async call(times: number): Promise<CuttableClient> {
    let client = await this.#connect();
    for (let call = 0; call < times; call++) {
      const isThere = await this.#callOnce(client);
      if (!isThere) client = await this.#connect();
    }
    return client;
  }

  async #connect(): Promise<Client> {
    const client: Client = await (this.#carrier === "http" ? overHttp(this.#url) : overWebSocket(this.#url));
    await client.initialize();
    return client;
  }

  /** Gives whether the client is still there after it. */
  async #callOnce(client: Client): Promise<boolean> {
    const [random, tally] = [this.#random, this.#tally];
    const twice = random.happens(0.2);
    const id = client.begin("tools/call", callOf("greet", { twice }, { progressToken: "p" }));
    const question = await this.#question(client, id);
    if (question === undefined) return true;
    if (random.happens(0.02)) {
      tally.closedCount += 1;
      await client.close();
      return false;
    }
    if (random.happens(0.02)) return this.#cut(client);
    if (random.happens(0.04)) {
      tally.cancelled += 1;
      await client.notify("notifications/cancelled", { requestId: id });
      await client.receive("notifications/cancelled");
      return true;
    }
    if (client.reconnect !== undefined && random.happens(0.04)) {
      tally.reconnected += 1;
      await client.reconnect();
    }
    await client.accept(question, "Ada");
    const isSure = random.happens(0.5);
    const second = twice ? await this.#question(client, id) : question;
    if (second === undefined) return true;
    if (twice) await client.accept(second, isSure);
    if (random.happens(0.01)) return this.#cut(client);
    const text = textOf(await client.answerTo(id));
    if (text !== (twice && !isSure ? "Hello, stranger" : "Hello, Ada")) tally.wrong.push(text);
    tally.answered += 1;
    return true;
  }

  /** The next question of a call; nothing where the call has ended instead, which is wrong. */
  async #question(client: Client, id: number): Promise<Message | undefined> {
    const received = await client.messages.next(
      (one) => isResponseTo(id)(one) || hasMethod("elicitation/create")(one),
    );
    if (received.method !== undefined) return received;
    this.#tally.wrong.push(textOf(received));
    return undefined;
  }

  async #cut(client: Client): Promise<false> {
    this.#tally.cutCount += 1;
    if (this.#carrier === "http") this.#tally.idleSessions += 1;
    await client.cut();
    return false;
  }
}
