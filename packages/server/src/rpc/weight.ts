/** How much memory a message takes once it is parsed, estimated: for what is kept of it while its call is under way or parked. */
import { DEEPEST } from "./message.ts";

/** What is longer on the wire than this, in bytes, is looked at. */
const SHORT = 512;
/** What one byte of a short message is taken for. */
const SHORT_FACTOR = 4;
/** How many objects, arrays and members are looked at: of more than that, each byte is taken for the most that it can be. */
const MOST_NODES = 100_000;
const MOST_FACTOR = 16;
/** What V8 takes for an object or array, and for each member beside what is in it, in bytes. */
const CONTAINER = 48;
const MEMBER = 24;

/** How many nodes may still be looked at. */
let left = 0;

/** The bytes of a parsed message. `wire`: how many it had on the wire, where that is known. */
export function weightOf(message: unknown, wire?: number): number {
  if (wire !== undefined && wire <= SHORT) return wire * SHORT_FACTOR;
  left = wire === undefined ? Number.POSITIVE_INFINITY : MOST_NODES;
  // Deeper messages are refused.
  const bytes = walked(message, DEEPEST);
  return wire === undefined || left > 0 ? bytes : Math.max(bytes, wire * MOST_FACTOR);
}

function walked(value: unknown, levels: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  return Array.isArray(value) ? walkedList(value, levels) : walkedObject(value, levels);
}

function walkedList(list: readonly unknown[], levels: number): number {
  let bytes = CONTAINER + MEMBER * list.length;
  left -= list.length;
  for (const one of list) {
    if (left <= 0) break;
    if (typeof one === "string" || typeof one === "object") bytes += walked(one, levels - 1);
  }
  return bytes;
}

function walkedObject(object: object, levels: number): number {
  let bytes = CONTAINER;
  // By name: a list of its members would be made and thrown away for every object of every message.
  for (const name in object) {
    if (left <= 0) break;
    left -= 1;
    // Its own names, as they came out of JSON.
    bytes += MEMBER + name.length + walked((object as Record<string, unknown>)[name], levels - 1);
  }
  return bytes;
}
