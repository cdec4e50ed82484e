/** SDK servers on Photon's SSE and WebSocket transports: one server for each client. */
import { type Message, parseMessage } from "../jsonrpc/messages.ts";
import type { AcceptConnection, ClientConnection } from "../connection.ts";
import type { Transport, TransportSendOptions } from "../transports/sdk-transport.ts";
import { allCallsEnded, type SdkServer } from "./sdk-session.ts";
import { Accounts } from "../accounts.ts";
import type { HttpApp, HttpOptions } from "../app/router.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import type { Limits } from "../limits.ts";

/** Creates the server for one client. */
export type CreateSdkServer = () => SdkServer | Promise<SdkServer>;

/** Creates an SDK server for each client. If that fails, the connection is closed and the error reported. */
export function sdkOpen(
  create: CreateSdkServer,
  report: (error: unknown) => void = () => {},
): AcceptConnection {
  return (connection) => {
    const transport = new ConnectionTransport(connection);
    let server: SdkServer | undefined;
    const connect = async (): Promise<void> => {
      server = await create();
      await server.connect(transport);
    };
    connect().catch((error: unknown) => {
      report(error);
      void transport.close();
    });
    return {
      receive: (message) => transport.receive(message),
      async close() {
        await transport.close();
        // Not in the transport: a body that closes its own server would wait for itself.
        if (server !== undefined) await allCallsEnded(server);
      },
    };
  };
}

/** A client connection as the SDK's `Transport`. */
class ConnectionTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: Message) => void) | undefined;
  readonly #connection: ClientConnection;
  /** Messages that arrived before the server was connected. */
  #early: Message[] | undefined = [];
  #isClosed = false;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.onmessage?.(message);
    if (this.#isClosed) this.onclose?.();
  }

  async send(message: Message, options?: TransportSendOptions): Promise<void> {
    if (this.#isClosed) throw new Error("The client has disconnected.");
    const isAnswer = !("method" in message);
    await this.#connection.send(message, isAnswer ? message.id : options?.relatedRequestId);
  }

  receive(value: unknown): void {
    const incoming = parseMessage(value);
    if (incoming.kind === "invalid") {
      void this.#connection.send(incoming.refusal, incoming.refusal.id);
    } else if (this.#early === undefined) this.onmessage?.(incoming.message);
    else this.#early.push(incoming.message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
    this.onclose?.();
  }
}

/** The options of `serveSdk`. */
export interface ServeSdkOptions extends Omit<HttpOptions, "transports"> {
  /** The default is both. The SDK has its own Streamable HTTP. */
  readonly transports?: readonly ("sse" | "websocket")[];
  readonly limits?: Partial<Limits>;
  /** Called when a server could not be created. */
  readonly report?: Settings["report"];
}

/** Serves SDK servers over WebSocket and SSE, to be mounted in an Express app. */
export async function serveSdk(create: CreateSdkServer, options: ServeSdkOptions = {}): Promise<HttpApp> {
  const { limits, report, transports = ["sse", "websocket"], ...guards } = options;
  // Loaded here: mounting tools needs neither express nor ws.
  const { createHttpApp } = await import("../app/router.ts");
  const settings = resolveSettings({ ...(limits && { limits }), ...(report && { report }) });
  const acceptSdk = sdkOpen(create, settings.report);
  const accounts = new Accounts(settings.limits);
  const accept: AcceptConnection = (connection) => {
    const handler = acceptSdk(connection);
    const account = connection.account ?? accounts.of(connection.principal ?? "");
    // The transport has checked the limit.
    account.openSession();
    let isOpen = true;
    return {
      receive: (message) => handler.receive(message),
      async close() {
        if (isOpen) account.closeSession();
        isOpen = false;
        await handler.close();
      },
    };
  };
  return createHttpApp({ accept, accounts }, settings, { ...guards, transports });
}
