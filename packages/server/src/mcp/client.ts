/** What a client says of itself. Pure. */
import type { Client } from "@photon/core";
import { isRecord, type Params } from "../rpc/message.ts";
import { wantsDetails } from "./question-details.ts";
import type { Features } from "./revisions.ts";

/** A client as it declares itself. */
export interface DeclaredClient extends Client {
  /** It wants to know more of a question than a form says. */
  readonly wantsDetails: boolean;
}

/** A client that has not said anything of itself. */
export const unknownClient: DeclaredClient = {
  name: "",
  version: "",
  can: { form: false, url: false, sample: false, roots: false },
  wantsDetails: false,
};

/** The client, from the parameters of `initialize`. A bare `elicitation: {}` means forms only. */
export function clientFrom(params: Params): DeclaredClient {
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
    wantsDetails: wantsDetails(capabilities),
  };
}

/** A client as tools know it, as far as a revision carries what it can do: before 2025-11-25 no web address is sent to it. */
export function clientIn({ name, version, can }: Client, features: Features): Client {
  return { name, version, can: features.since2511 || !can.url ? can : { ...can, url: false } };
}
