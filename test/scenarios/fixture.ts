/** A server on one transport in one revision, and the clients that connect to it. */
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "@photon/core";
import type { Revision } from "@photon/server";
import { onTestFinished } from "vitest";
import { noQuestion, type AnswerHandler } from "../clients/answers.ts";
import { EventLog } from "../clients/event-log.ts";
import { allCapabilitiesIn, sampleHello } from "../clients/sdk-client.ts";
import { record, type Row } from "./record.ts";
import type {
  ScenarioClient,
  ScenarioServer,
  ScenarioServerOptions,
  ScenarioTransport,
} from "./transport.ts";

export class ServerFixture {
  readonly transport: ScenarioTransport;
  readonly revision: Revision;
  readonly #options: ScenarioServerOptions;
  /** What the tools have written. */
  readonly log = new EventLog<string>();
  /** Clients that stay connected: over stdio, each has a process. */
  readonly #clients = new Map<ClientCapabilities, ScenarioClient>();
  #server: ScenarioServer | undefined;

  constructor(transport: ScenarioTransport, revision: Revision, options: ScenarioServerOptions = {}) {
    this.transport = transport;
    this.revision = revision;
    this.#options = options;
  }

  /** Whether a user can be sent to a page: the revision has url elicitation, and the transport has pages. */
  get hasPages(): boolean {
    return this.isSince("2025-11-25") && this.transport.lacks?.pages === undefined;
  }

  isSince(revision: Revision): boolean {
    return this.revision >= revision;
  }

  /** Whether there are no sessions, and the server asks in its results. */
  get isStateless(): boolean {
    return this.isSince("2026-07-28");
  }

  /** What happens to a call that asks a question when its connection is lost. */
  get onDisconnect(): "ends" | "waits" {
    const { session, stateless = session } = this.transport.onDisconnect;
    return this.isStateless ? stateless : session;
  }

  /** Records for docs/clients.md how this transport and revision support a row, if the test passes. */
  record(row: Row, behaviour = "yes"): void {
    record({ transport: this.transport.name, revision: this.revision, feature: row, behaviour });
  }

  async open(): Promise<void> {
    this.#server = await this.transport.serve(this.revision, this.log, this.#options);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
    await this.#server?.close();
  }

  /** A connected client with these capabilities, which tests share. */
  async connect(
    answer: AnswerHandler = noQuestion,
    capabilities: ClientCapabilities = allCapabilitiesIn(this.revision),
  ): Promise<ScenarioClient> {
    const client = this.#clients.get(capabilities) ?? (await this.#connect(capabilities));
    this.#clients.set(capabilities, client);
    client.received.clear();
    client.answer = answer;
    client.sample = sampleHello;
    return client;
  }

  /** A client that no other test uses. */
  async connectNew(answer: AnswerHandler): Promise<ScenarioClient> {
    const client = await this.#connect(allCapabilitiesIn(this.revision));
    onTestFinished(() => client.close());
    client.answer = answer;
    return client;
  }

  /** A server that no other test uses, and a client of it. */
  async serveOwn(
    answer: AnswerHandler,
    clock?: Clock,
  ): Promise<{
    readonly client: ScenarioClient;
    readonly log: EventLog<string>;
    readonly server: ScenarioServer;
  }> {
    const log = new EventLog<string>();
    const options = clock === undefined ? this.#options : { ...this.#options, clock };
    const server = await this.transport.serve(this.revision, log, options);
    const client = server.createClient(allCapabilitiesIn(this.revision));
    onTestFinished(async () => {
      await client.close();
      await server.close();
    });
    await client.connect();
    client.answer = answer;
    return { client, log, server };
  }

  async #connect(capabilities: ClientCapabilities): Promise<ScenarioClient> {
    if (this.#server === undefined) throw new Error("The fixture is not open.");
    const client = this.#server.createClient(capabilities);
    await client.connect();
    return client;
  }
}
