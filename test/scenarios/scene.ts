/** One transport and one revision: a server, and the guests that come to it. */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "@photon/core";
import type { Revision } from "@photon/server";
import { onTestFinished } from "vitest";
import { nobody, type Answer } from "./answers.ts";
import type { Column, Served } from "./column.ts";
import { everything, Guest, parrot } from "./guest.ts";
import { Happenings } from "./happenings.ts";

export class Scene {
  readonly column: Column;
  readonly revision: Revision;
  /** What the bodies told. */
  readonly told = new Happenings<string>();
  /** Guests that stay: a process for each test would take long. */
  readonly #regulars = new Map<ClientCapabilities, Guest>();
  #served: Served | undefined;

  constructor(column: Column, revision: Revision) {
    this.column = column;
    this.revision = revision;
  }

  /** Whether the revision is this one or a later one. */
  isSince(revision: Revision): boolean {
    return this.revision >= revision;
  }

  async open(): Promise<void> {
    this.#served = await this.column.serve(this.revision, this.told);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#regulars.values()].map(({ client }) => client.close()));
    await this.#served?.stop();
  }

  /** Somebody who can do all this, and answers like this. */
  async seat(answer: Answer = nobody, can: ClientCapabilities = everything): Promise<Guest> {
    const guest = this.#regulars.get(can) ?? (await this.#arrival(can));
    this.#regulars.set(can, guest);
    guest.heard.forget();
    guest.answer = answer;
    guest.sample = parrot;
    return guest;
  }

  /** Somebody who was not here before, and leaves with the test. */
  async seatStranger(answer: Answer = nobody, can: ClientCapabilities = everything): Promise<Guest> {
    const guest = await this.#arrival(can);
    onTestFinished(() => guest.client.close());
    guest.answer = answer;
    return guest;
  }

  /** A server of the test's own, and somebody at it. */
  async elsewhere(
    answer: Answer,
    clock?: Clock,
  ): Promise<{ readonly guest: Guest; readonly told: Happenings<string>; readonly served: Served }> {
    const told = new Happenings<string>();
    const served = await this.column.serve(this.revision, told, clock === undefined ? {} : { clock });
    const guest = new Guest(served.dial(), everything);
    onTestFinished(async () => {
      await guest.client.close();
      await served.stop();
    });
    await guest.arrive();
    guest.answer = answer;
    return { guest, told, served };
  }

  async #arrival(can: ClientCapabilities): Promise<Guest> {
    if (this.#served === undefined) throw new Error("The scene is not open.");
    const guest = new Guest(this.#served.dial(), can);
    await guest.arrive();
    return guest;
  }
}
