/**
 * How much memory a message takes once it is parsed, estimated: for what is kept of it while its call is under way or parked.
 *
 *   1. It is at least what V8 takes, to some 5 %, whatever the message is made of, and at most about three times as much.
 *   2. With `wire`, at most MAX_NODES values are visited. Without it, all are: the caller bounds the message.
 */
import { MAX_DEPTH } from "./messages.ts";

/** Of what is shorter on the wire than this, in bytes, no object is compared with others. */
const SHORT = 512;
/** How many objects, arrays and members are looked at: of more than that, each byte is taken for the most that it can be. */
const MAX_NODES = 100_000;
const MOST_FACTOR = 24;
/** What V8 takes for an object or array, for an element of an array, and for a string beside its characters, in bytes. */
const CONTAINER = 48;
const ELEMENT = 24;
const STRING = 16;
/** The same for a member of an object: the first of such a shape, and one of an object that has the names of another in the same order. */
const NEW_MEMBER = 136;
const KNOWN_MEMBER = 24;
/** How many members of an object can share the names of another: longer objects are hash tables, each of its own. */
const MAX_SHARED_MEMBERS = 64;
/** How many members of different shapes are remembered in one message. */
const MAX_SHAPES = 2000;

const TWO_BYTE = /[\u0100-\uFFFF]/;
const DIGITS = /^\d/;

/** The shapes of objects so far, as V8 has them: from each name to the names that came after it. */
interface Shape extends Map<string, Shape> {}

/** How many nodes may still be looked at, and how many shapes remembered. */
let left = 0;
let shapesLeft = 0;
let shapes: Shape | undefined;

/** The bytes of a parsed message. `wire`: how many it had on the wire, where that is known. */
export function estimateBytes(message: unknown, wire?: number): number {
  left = wire === undefined ? Number.POSITIVE_INFINITY : MAX_NODES;
  shapesLeft = MAX_SHAPES;
  shapes = wire !== undefined && wire <= SHORT ? undefined : new Map();
  // Deeper levels are not counted: such a message is refused.
  const bytes = walked(message, MAX_DEPTH);
  shapes = undefined;
  return wire === undefined || left > 0 ? bytes : Math.max(bytes, wire * MOST_FACTOR);
}

/** The bytes of a string's characters: one each, or two where one of them is not in Latin-1. */
export const bytesOfText = (text: string): number => (TWO_BYTE.test(text) ? 2 * text.length : text.length);

function walked(value: unknown, levels: number): number {
  if (typeof value === "string") return STRING + bytesOfText(value);
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  return Array.isArray(value) ? walkedList(value, levels) : walkedObject(value, levels);
}

function walkedList(list: readonly unknown[], levels: number): number {
  let bytes = CONTAINER + ELEMENT * list.length;
  left -= list.length;
  for (const one of list) {
    if (left <= 0) break;
    if (typeof one === "string" || typeof one === "object") bytes += walked(one, levels - 1);
  }
  return bytes;
}

function walkedObject(object: object, levels: number): number {
  let bytes = CONTAINER;
  let members = 0;
  let shape = shapes;
  // By name: a list of its members would be made and thrown away for every object of every message.
  for (const name in object) {
    if (left <= 0) break;
    left -= 1;
    members += 1;
    // V8 keeps integer keys outside of the shape. Every name that begins with a digit counts as one.
    const known = members > MAX_SHARED_MEMBERS || DIGITS.test(name) ? undefined : shape?.get(name);
    bytes += known === undefined ? NEW_MEMBER + bytesOfText(name) : KNOWN_MEMBER;
    shape = known ?? withMember(shape, name);
    // Its own names, as they came out of JSON.
    bytes += walked((object as Record<string, unknown>)[name], levels - 1);
  }
  return bytes;
}

/** The shape that another becomes with one more member, if it is remembered. */
function withMember(shape: Shape | undefined, name: string): Shape | undefined {
  if (shape === undefined || shapesLeft === 0) return undefined;
  shapesLeft -= 1;
  const next: Shape = new Map();
  shape.set(name, next);
  return next;
}
