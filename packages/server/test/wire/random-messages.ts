/** Messages that a client might send, and what chance makes of them. */
import type { Fields } from "../../../../test/clients/messages.ts";
import { callOf } from "../../../../test/clients/raw-client.ts";
import type { Random } from "./random.ts";

const meta = { progressToken: 1 };

/** One of everything that means something. */
const sensible: readonly Fields[] = [
  { jsonrpc: "2.0", id: 1, method: "ping" },
  {
    jsonrpc: "2.0",
    id: 2,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {} },
  },
  { jsonrpc: "2.0", id: 3, method: "tools/list" },
  { jsonrpc: "2.0", id: 4, method: "tools/call", params: callOf("echo", { text: "hi" }, meta) },
  { jsonrpc: "2.0", id: "five", method: "tools/call", params: callOf("greet", {}, meta) },
  { jsonrpc: "2.0", id: 6, method: "prompts/list" },
  { jsonrpc: "2.0", id: 7, method: "resources/read", params: { uri: "page://1" } },
  { jsonrpc: "2.0", id: 8, method: "resources/subscribe", params: { uri: "page://2" } },
  { jsonrpc: "2.0", id: 9, method: "logging/setLevel", params: { level: "debug" } },
  {
    jsonrpc: "2.0",
    id: 10,
    method: "completion/complete",
    params: {
      ref: { type: "ref/resource", uri: "page://{number}" },
      argument: { name: "number", value: "" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "five" } },
  { jsonrpc: "2.0", id: "1", result: { action: "accept", content: { value: "Ada" } } },
  { jsonrpc: "2.0", id: "1", error: { code: -32601, message: "No." } },
];

const names = ["jsonrpc", "id", "method", "params", "result", "error", "_meta", "__proto__", "toString", "x"];

/** A value of any kind. */
export function anything(random: Random, depth = 3): unknown {
  switch (random.below(depth === 0 ? 7 : 9)) {
    case 0:
      return null;
    case 1:
      return random.happens(0.5);
    case 2:
      return random.pick([0, -1, 1.5, 1e308, -0, 2 ** 53, random.below(12)]);
    case 3:
      return random.pick(["", "2.0", "ping", "tools/call", "greet", "\u0000", "😀", "\uD800", "five", "1"]);
    case 4:
      return "x".repeat(random.below(200));
    case 5:
      return {};
    case 6:
      return [];
    case 7:
      return Array.from({ length: random.below(4) }, () => anything(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [random.pick(names), anything(random, depth - 1)]),
      );
  }
}

/** A sensible message with one thing in it changed; `ids` are those of open questions. */
export function mutated(random: Random, ids: readonly unknown[]): unknown {
  const message = structuredClone(random.pick(sensible)) as Record<string, unknown>;
  if ("result" in message || "error" in message) message["id"] = ids.length > 0 ? random.pick(ids) : "1";
  if (typeof message["id"] === "number") message["id"] = random.below(50);
  if (random.happens(0.3)) return message;
  return changed(message, random);
}

/** The same value with one thing in it changed. */
export function changed(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.happens(0.2)) return anything(random);
  const target = value as Record<string, unknown>;
  const key = random.pick([...Object.keys(target), random.pick(names)]);
  // Its own only: what every object inherits is not to be changed.
  const own = Object.hasOwn(target, key) ? target[key] : undefined;
  if (random.happens(0.2)) delete target[key];
  else {
    Object.defineProperty(target, key, {
      value: changed(own, random),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return target;
}

/** A text with a few characters gone, doubled or replaced. */
function garbled(text: string, random: Random): string {
  let garbage = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(garbage.length + 1);
    const between = random.pick([
      "",
      '"',
      "{",
      "}",
      "[",
      ",",
      "\\",
      "\u0000",
      "\r",
      "é",
      "9",
      garbage.slice(at, at + 9),
    ]);
    garbage = garbage.slice(0, at) + between + garbage.slice(at + random.below(5));
  }
  return garbage;
}

/** One message, as text. */
export function nonsense(random: Random, ids: readonly unknown[]): string {
  const value = random.happens(0.1) ? anything(random) : mutated(random, ids);
  const text = JSON.stringify(random.happens(0.02) ? [value, value, anything(random)] : value);
  return random.happens(0.2) ? garbled(text, random) : text;
}
