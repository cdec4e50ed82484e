import { Accounts } from "../accounts.ts";
import type { HttpDoor, HttpOptions } from "../app/router.ts";
import type { Open } from "../rpc/peer.ts";
import { settingsFrom, type Limits, type Settings } from "../settings.ts";
import { sdkOpen, type CreateSdkServer } from "./sdk-open.ts";

export interface ServeSdkOptions extends Omit<HttpOptions, "transports"> {
  /** Which ways in there are: both, without this. Streamable HTTP is the SDK's own. */
  readonly transports?: readonly ("sse" | "websocket")[];
  readonly limits?: Partial<Limits>;
  /** Hears of servers that could not be made. */
  readonly report?: Settings["report"];
}

/** Serves SDK servers over our WebSocket and SSE, to be mounted in an express app: one server for each client. */
export async function serveSdk(create: CreateSdkServer, options: ServeSdkOptions = {}): Promise<HttpDoor> {
  const { limits, report, transports = ["sse", "websocket"], ...guards } = options;
  // Loaded here: whoever only mounts tools needs neither express nor ws.
  const { openHttp } = await import("../app/router.ts");
  const settings = settingsFrom({ ...(limits && { limits }), ...(report && { report }) });
  const openOne = sdkOpen(create, settings.report);
  const accounts = new Accounts(settings.limits);
  const open: Open = (peer) => {
    const line = openOne(peer);
    const account = peer.account ?? accounts.of(peer.principal ?? "");
    // Whoever opens it has looked whether there is room.
    account.openSession();
    let isOpen = true;
    return {
      receive: (message) => line.receive(message),
      async close() {
        if (isOpen) account.closeSession();
        isOpen = false;
        await line.close();
      },
    };
  };
  return openHttp({ open, accounts }, settings, { ...guards, transports });
}
