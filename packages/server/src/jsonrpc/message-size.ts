/**
 * The size of a message: the values and keys in its text, counted before it is parsed, and an estimate of the memory that it takes while
 * its call is under way or parked.
 *
 *   1. The estimate is at least what V8 takes, to some 5 %, whatever the message contains, and at most about three times as much.
 *   2. With `wireBytes`, at most MAX_NODES values are visited. Without it, all are: the caller bounds the message.
 */
import type { RequestId } from "./messages.ts";

/** Deeper messages are refused: parsing, comparing or copying them would use up the stack. */
export const MAX_DEPTH = 500;
/** Objects of messages that are shorter on the wire are not compared with each other. */
const SHORT_BYTES = 512;
/** The most objects, arrays and members that are visited. For longer messages each byte counts as the most that it can take. */
const MAX_NODES = 100_000;
const MAX_FACTOR = 24;
/** Memory of an object or array, of an element of an array, and of a string beside its characters. */
const CONTAINER_BYTES = 48;
const ELEMENT_BYTES = 24;
const STRING_BYTES = 16;
/** Memory of a member of an object: if it is the first with this shape, and if an earlier object has the same names in the same order. */
const NEW_MEMBER_BYTES = 136;
const KNOWN_MEMBER_BYTES = 24;
/** Objects with more members are hash tables in V8, which share no shape. */
const MAX_SHARED_MEMBERS = 64;
/** The most shapes that are remembered for one message. */
const MAX_SHAPES = 2000;

const TWO_BYTE = /[\u0100-\uFFFF]/;
const STARTS_WITH_DIGIT = /^\d/;

/** The shapes of objects so far, as V8 has them: from each name to the names that came after it. */
interface Shape extends Map<string, Shape> {}

/** The state of one estimate, which is synchronous. */
let nodesLeft = 0;
let shapesLeft = 0;
let shapes: Shape | undefined;

/** The memory of a parsed message, in bytes. `wireBytes`: its length on the wire, if that is known. */
export function estimateBytes(message: unknown, wireBytes?: number): number {
  nodesLeft = wireBytes === undefined ? Number.POSITIVE_INFINITY : MAX_NODES;
  shapesLeft = MAX_SHAPES;
  shapes = wireBytes !== undefined && wireBytes <= SHORT_BYTES ? undefined : new Map();
  // Deeper levels are not counted: such a message is refused.
  const bytes = bytesOfValue(message, MAX_DEPTH);
  shapes = undefined;
  return wireBytes === undefined || nodesLeft > 0 ? bytes : Math.max(bytes, wireBytes * MAX_FACTOR);
}

/** The bytes of a string's characters: one each, or two if one of them is not in Latin-1. */
export const bytesOfText = (text: string): number => (TWO_BYTE.test(text) ? 2 * text.length : text.length);

function bytesOfValue(value: unknown, levels: number): number {
  if (typeof value === "string") return STRING_BYTES + bytesOfText(value);
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  return Array.isArray(value) ? bytesOfArray(value, levels) : bytesOfObject(value, levels);
}

function bytesOfArray(array: readonly unknown[], levels: number): number {
  let bytes = CONTAINER_BYTES + ELEMENT_BYTES * array.length;
  nodesLeft -= array.length;
  for (const one of array) {
    if (nodesLeft <= 0) break;
    bytes += bytesOfValue(one, levels - 1);
  }
  return bytes;
}

function bytesOfObject(object: object, levels: number): number {
  let bytes = CONTAINER_BYTES;
  let members = 0;
  let shape = shapes;
  // `for in`, because `Object.entries` would allocate a list for every object of every message. Parsed JSON has own names only.
  for (const name in object) {
    if (nodesLeft <= 0) break;
    nodesLeft -= 1;
    members += 1;
    // V8 keeps integer keys outside of the shape. Every name that begins with a digit counts as one.
    const isShared = shape !== undefined && members <= MAX_SHARED_MEMBERS && !STARTS_WITH_DIGIT.test(name);
    const known = isShared ? shape?.get(name) : undefined;
    bytes += known === undefined ? NEW_MEMBER_BYTES + bytesOfText(name) : KNOWN_MEMBER_BYTES;
    shape = known ?? withMember(shape, name);
    bytes += bytesOfValue((object as Record<string, unknown>)[name], levels - 1);
  }
  return bytes;
}

/** The shape with one more member, if it is remembered. */
function withMember(shape: Shape | undefined, name: string): Shape | undefined {
  if (shape === undefined || shapesLeft === 0) return undefined;
  shapesLeft -= 1;
  const next: Shape = new Map();
  shape.set(name, next);
  return next;
}

interface TextCounts {
  readonly values: number;
  readonly keys: number;
  /** The id, if the text is a request. Clients built on the SDK write it last. */
  readonly id: RequestId | undefined;
}

/**
 * Counts what a text would be parsed to. The counts of a text that is not JSON mean nothing.
 *
 * Counting takes 10 ms for 4 MiB of empty lists, or of keys; parsing and checking them takes seconds.
 */
export function countInText(text: string): TextCounts {
  let values = 1;
  let keys = 0;
  let depth = 0;
  let id: RequestId | undefined;
  let isRequest = false;
  /** Whether the last list or object that was opened has no members yet. */
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at);
        if (depth === 1 && end - at < 8) {
          const name = text.slice(at, end + 1);
          if (name === '"id"') id = idAfter(text, end + 1) ?? id;
          if (name === '"method"') isRequest = true;
        }
        at = end;
        break;
      }
      case "[":
      case "{":
        depth += 1;
        values += 1;
        isEmpty = true;
        continue;
      case "]":
      case "}":
        depth -= 1;
        if (isEmpty) values -= 1;
        break;
      case ",":
        values += 1;
        break;
      case ":":
        keys += 1;
        break;
      case " ":
      case "\n":
      case "\r":
      case "\t":
        continue;
    }
    isEmpty = false;
  }
  return { values, keys, id: isRequest ? id : undefined };
}

/** The position of the quote that ends a string. `from`: the quote that begins it. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text[escapes - 1] === "\\") escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** The id that follows its key, unless it is invalid. */
function idAfter(text: string, from: number): RequestId | undefined {
  const [, json] = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/.exec(text.slice(from, from + 1000)) ?? [];
  try {
    // The pattern matches texts and whole numbers only.
    return json === undefined ? undefined : (JSON.parse(json) as RequestId);
  } catch {
    return undefined;
  }
}
