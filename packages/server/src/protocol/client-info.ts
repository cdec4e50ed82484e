/** The client of a session or request, from its `clientInfo` and capabilities. Pure, apart from a cache of one client. */
import type { Client } from "@photon/core";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";

/** The client that was parsed last. It is frozen, because many sessions and calls may share it. */
let lastClient: Client | undefined;

/**
 * Parses a client. A bare `elicitation: {}` means forms only.
 *
 * Returns the same object for the same declaration: every request of 2026-07-28 has one, and thousands of calls would each retain a copy.
 */
export function clientFrom(info: unknown, capabilities: JsonObject): Client {
  const { name, version } = isRecord(info) ? info : {};
  const { elicitation, sampling, roots } = capabilities;
  const modes = isRecord(elicitation) ? elicitation : undefined;
  const declared: Client = {
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    can: {
      form: modes !== undefined && (isRecord(modes["form"]) || !isRecord(modes["url"])),
      url: modes !== undefined && isRecord(modes["url"]),
      sample: isRecord(sampling),
      roots: isRecord(roots),
    },
  };
  if (isSame(declared, lastClient)) return lastClient;
  Object.freeze(declared.can);
  lastClient = Object.freeze(declared);
  return lastClient;
}

/** The name of a client for messages: one line, of limited length. */
export const displayName = ({ name, version }: Client): string =>
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
