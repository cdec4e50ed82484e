/** What is known of the session that an SDK server holds. */
import { logLevels, type Client } from "@photon/core";
import { clientFrom } from "../mcp/client.ts";
import { featuresOf, revisions, type Features } from "../mcp/revisions.ts";
import type { Settings } from "../settings.ts";
import type { LowServer } from "./sdk-server.ts";

export class SdkSession {
  readonly server: LowServer;
  readonly settings: Settings;
  /** The calls of our tools that are under way. */
  readonly calls: Set<Promise<unknown>> = new Set();
  /** How many of their questions are open. */
  asks = 0;
  /** Whether the client was pinged and did not answer in time: no later call waits for it. */
  isMute = false;
  #features: Features;
  #logLevel = logLevels.indexOf("info");

  constructor(server: LowServer, settings: Settings) {
    this.server = server;
    this.settings = settings;
    this.#features = featuresOf(settings.maxRevision);
  }

  get features(): Features {
    return this.#features;
  }

  get client(): Client {
    return clientFrom({
      clientInfo: this.server.getClientVersion(),
      capabilities: this.server.getClientCapabilities(),
    });
  }

  /** Begins with a client; gives the revision to speak. One before ours, which the SDK still knows, is taken for our oldest. */
  begin(agreed: unknown): string {
    const { maxRevision } = this.settings;
    const spoken = String(agreed) > maxRevision ? maxRevision : String(agreed);
    this.#features = featuresOf(revisions.find((revision) => revision === spoken) ?? revisions[0]);
    this.isMute = false;
    this.#logLevel = logLevels.indexOf("info");
    return spoken;
  }

  setLogLevel(level: string): void {
    this.#logLevel = logLevels.findIndex((known) => known === level);
  }

  isLogged(level: string): boolean {
    return logLevels.findIndex((known) => known === level) >= this.#logLevel;
  }
}
