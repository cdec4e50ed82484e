/** What a client says of itself. Pure. */
import type { Client } from "@photon/core";
import { isRecord, type Params } from "../rpc/message.ts";
import type { Features } from "./revisions.ts";

/** The client, from the parameters of `initialize`. A bare `elicitation: {}` means forms only. */
export function clientFrom(params: Params): Client {
  const info = isRecord(params["clientInfo"]) ? params["clientInfo"] : {};
  const capabilities = isRecord(params["capabilities"]) ? params["capabilities"] : {};
  const elicitation = capabilities["elicitation"];
  const modes = isRecord(elicitation) ? elicitation : undefined;
  return {
    name: typeof info["name"] === "string" ? info["name"] : "",
    version: typeof info["version"] === "string" ? info["version"] : "",
    can: {
      form: modes !== undefined && (isRecord(modes["form"]) || !isRecord(modes["url"])),
      url: modes !== undefined && isRecord(modes["url"]),
      sample: isRecord(capabilities["sampling"]),
      roots: isRecord(capabilities["roots"]),
    },
  };
}

/** The same client, as far as a revision carries what it can do: before 2025-11-25 no web address is sent to it. */
export function clientIn(client: Client, features: Features): Client {
  return features.since2511 || !client.can.url ? client : { ...client, can: { ...client.can, url: false } };
}
