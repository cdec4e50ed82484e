/** What a client says of itself. Pure, but that whoever says the same as the last is the same object. */
import type { Client } from "@photon/core";
import { isRecord, type Params } from "../jsonrpc/messages.ts";
import { wantsDetails } from "./question-metadata.ts";

/** A client as it declares itself for a session. */
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

/** The client that was read last. Nobody can change it: it may be that of many calls. */
let last: Client | undefined;

/**
 * The client, by what it says of itself and of what it can do. A bare `elicitation: {}` means forms only.
 *
 * Whoever says the same again is the same object: where every request says it, thousands of calls would each keep one.
 */
export function clientFrom(info: unknown, capabilities: Params): Client {
  const { name, version } = isRecord(info) ? info : {};
  const { elicitation, sampling, roots } = capabilities;
  const modes = isRecord(elicitation) ? elicitation : undefined;
  const said: Client = {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    can: {
      form: modes !== undefined && (isRecord(modes["form"]) || !isRecord(modes["url"])),
      url: modes !== undefined && isRecord(modes["url"]),
      sample: isRecord(sampling),
      roots: isRecord(roots),
    },
  };
  if (isSame(said, last)) return last;
  Object.freeze(said.can);
  last = Object.freeze(said);
  return last;
}

/** A client as sentences name it: on one line, and not too long. */
export const nameOf = ({ name, version }: Client): string =>
  JSON.stringify(`${name} ${version}`.trim().slice(0, 200));

function isSame(one: Client, other: Client | undefined): other is Client {
  return (
    other !== undefined &&
    one.name === other.name &&
    one.version === other.version &&
    one.can.form === other.can.form &&
    one.can.url === other.can.url &&
    one.can.sample === other.can.sample &&
    one.can.roots === other.can.roots
  );
}

/** The client of a session, from the parameters of its `initialize`. */
export function declaredClient({ clientInfo, capabilities }: Params): DeclaredClient {
  const declared = isRecord(capabilities) ? capabilities : {};
  return { ...clientFrom(clientInfo, declared), wantsDetails: wantsDetails(declared) };
}

/** A client as tools see it. */
export const clientForTools = ({ name, version, can }: Client): Client => ({ name, version, can });
