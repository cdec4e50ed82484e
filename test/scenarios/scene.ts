/** One transport and one revision: a server, and the guests that come to it. */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "@photon/core";
import type { Revision } from "@photon/server";
import { onTestFinished } from "vitest";
import { nobody, type Answer } from "./answers.ts";
import type { Column, Guest, Served, ServeOptions } from "./column.ts";
import { everythingIn, parrot } from "./guest.ts";
import { Happenings } from "./happenings.ts";
import { show, type Feature } from "./showing.ts";

export class Scene {
  readonly column: Column;
  readonly revision: Revision;
  readonly #options: ServeOptions;
  /** What the bodies told. */
  readonly told = new Happenings<string>();
  /** Guests that stay: a process for each test would take long. */
  readonly #regulars = new Map<ClientCapabilities, Guest>();
  #served: Served | undefined;

  constructor(column: Column, revision: Revision, options: ServeOptions = {}) {
    this.column = column;
    this.revision = revision;
    this.#options = options;
  }

  /** Whether a person can be sent to a page: the revision has web addresses, and the column has pages. */
  get hasPages(): boolean {
    return this.isSince("2025-11-25") && this.column.lacks?.pages === undefined;
  }

  /** Whether the revision is this one or a later one. */
  isSince(revision: Revision): boolean {
    return this.revision >= revision;
  }

  /** Whether every request stands alone: there is no session, and the server asks in its results. */
  get isModern(): boolean {
    return this.isSince("2026-07-28");
  }

  /** What becomes of a call whose client is suddenly gone while it is asked. */
  get whenGone(): "ends" | "waits" {
    const { session, modern = session } = this.column.whenGone;
    return this.isModern ? modern : session;
  }

  /** The test that is running has shown what this transport does with a feature in this revision. */
  shows(feature: Feature, how = "yes"): void {
    show({ transport: this.column.name, revision: this.revision, feature, how });
  }

  async open(): Promise<void> {
    this.#served = await this.column.serve(this.revision, this.told, this.#options);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#regulars.values()].map(({ client }) => client.close()));
    await this.#served?.stop();
  }

  /** Somebody who can do all this, and answers like this. */
  async seat(answer: Answer = nobody, can: ClientCapabilities = everythingIn(this.revision)): Promise<Guest> {
    const guest = this.#regulars.get(can) ?? (await this.#arrival(can));
    this.#regulars.set(can, guest);
    guest.heard.forget();
    guest.answer = answer;
    guest.sample = parrot;
    return guest;
  }

  /** Somebody who was not here before, and leaves with the test. */
  async seatStranger(
    answer: Answer = nobody,
    can: ClientCapabilities = everythingIn(this.revision),
  ): Promise<Guest> {
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
    const options = clock === undefined ? this.#options : { ...this.#options, clock };
    const served = await this.column.serve(this.revision, told, options);
    const guest = served.invite(everythingIn(this.revision));
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
    const guest = this.#served.invite(can);
    await guest.arrive();
    return guest;
  }
}
