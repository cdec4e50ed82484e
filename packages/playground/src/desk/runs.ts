/** The runs on the desk, the newest first; and which of them is told what a server says. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { AskedOnSession } from "../client/client-ear.ts";
import type { Client } from "../client/client.ts";
import type { News } from "../client/news.ts";
import type { RequestId } from "../wire/message.ts";
import type { RunEar } from "./connector.ts";
import type { Driver } from "./driver.ts";
import type { Run } from "./run.ts";
import { SessionDriver } from "./session-driver.ts";

export class Runs implements RunEar {
  readonly #drivers = signal<readonly Driver[]>([]);
  readonly shown: ReadonlySignal<readonly Run[]> = computed(() => this.#drivers.value.map(({ run }) => run));

  /** What the inbox calls those that are under way here, or have ended. What was left may wait there still. */
  readonly storedAs: ReadonlySignal<ReadonlySet<string | undefined>> = computed(
    () => new Set(this.#drivers.value.map(({ run }) => (isLeft(run) ? undefined : run.storedAs))),
  );

  add(driver: Driver): void {
    this.#drivers.value = [driver, ...this.#drivers.value];
  }

  find(runId: string): Driver | undefined {
    return this.#drivers.value.find(({ run }) => run.id === runId);
  }

  /** Lets go of a run that is over. */
  forget(runId: string): void {
    if (this.find(runId)?.run.isOver !== true) return;
    this.#drivers.value = this.#drivers.value.filter(({ run }) => run.id !== runId);
  }

  connected(client: Client): void {
    for (const driver of this.#drivers.value) driver.connected(client);
  }

  told(runId: string, news: News): void {
    this.find(runId)?.told(news);
  }

  asked(runId: string, asked: AskedOnSession): void {
    const driver = this.find(runId);
    if (driver instanceof SessionDriver) driver.asked(asked);
  }

  withdrawn(requestId: RequestId): void {
    for (const driver of this.#onSessions) driver.withdrawn(requestId);
  }

  completed(elicitationId: string): void {
    for (const driver of this.#onSessions) driver.completed(elicitationId);
  }

  get #onSessions(): readonly SessionDriver[] {
    return this.#drivers.value.filter((driver) => driver instanceof SessionDriver);
  }
}

const isLeft = ({ state }: Run): boolean => state.value.state === "cancelled";
