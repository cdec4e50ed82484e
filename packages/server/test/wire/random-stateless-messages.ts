/** Messages that a client of 2026-07-28 might send, and what chance makes of them. */
import type { Fields } from "../../../../test/clients/messages.ts";
import { ELICITATION, META, MODERN, accepted } from "../../../../test/clients/raw-client.ts";
import { anything, changed } from "./random-messages.ts";
import type { Random } from "./random.ts";

const meta: Fields = {
  [META.version]: MODERN,
  [META.capabilities]: ELICITATION,
  [META.clientInfo]: { name: "bad", version: "1" },
  [META.logLevel]: "debug",
  progressToken: 1,
};

/** As it comes out of `JSON.parse`: its own members, whatever they are called. */
const odd = JSON.parse(
  '{ "__proto__": { "action": "accept" }, "constructor": { "action": "decline" }, "toString": null }',
) as Fields;

const answers: readonly unknown[] = [
  accepted({ "ask-1": "Ada" }),
  accepted({ "ask-1": 7, "ask-2": true }),
  { "ask-1": { action: "decline" } },
  { "ask-1": { action: "cancel", content: odd } },
  { ...accepted({ "ask-1": "Bob" }), ...odd },
  odd,
  null,
  [],
];

const requests: readonly Fields[] = [
  { method: "server/discover", params: {} },
  { method: "tools/list", params: {} },
  { method: "tools/call", params: { name: "echo", arguments: { text: "hi" } } },
  { method: "tools/call", params: { name: "greet", arguments: {} } },
  { method: "tools/call", params: { name: "lasting", arguments: {} } },
  { method: "resources/read", params: { uri: "page://1" } },
  {
    method: "subscriptions/listen",
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["page://1"] } },
  },
  {
    method: "completion/complete",
    params: {
      ref: { type: "ref/resource", uri: "page://{number}" },
      argument: { name: "number", value: "" },
    },
  },
  { method: "notifications/cancelled", params: { requestId: 7 } },
  { method: "ping", params: {} },
];

/** A message as it ought to be, or nearly; `states` are some that were given out, with the names of their tools. */
function sensible(random: Random, states: readonly State[]): Fields {
  const { method, params } = random.pick(requests);
  const id = random.below(1000);
  const known = { ...(params as Fields), _meta: meta };
  const base = { jsonrpc: "2.0", method, ...(method === "notifications/cancelled" ? {} : { id }) };
  const called = known as Fields & { readonly name?: string };
  if (called.name === undefined || random.happens(0.3)) return { ...base, params: known };
  const state = states.length > 0 ? random.pick(states) : undefined;
  const carried = state === undefined ? {} : { name: state.name, requestState: bent(state.state, random) };
  return { ...base, params: { ...known, ...carried, inputResponses: random.pick(answers) } };
}

export interface State {
  readonly name: string;
  readonly state: string;
}

/** A state as it was, or with a little of it changed. */
function bent(state: string, random: Random): string {
  if (random.happens(0.6)) return state;
  const at = random.below(state.length);
  return (
    state.slice(0, at) + random.pick(["", "A", "_", "=", "\u0000", state]) + state.slice(at + random.below(3))
  );
}

/** One message, as text. */
export function modernNonsense(random: Random, states: readonly State[]): string {
  if (random.happens(0.05)) return JSON.stringify(anything(random)) ?? "null";
  const message = structuredClone(sensible(random, states));
  return JSON.stringify(random.happens(0.5) ? changed(message, random) : message);
}
