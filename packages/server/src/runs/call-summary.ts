/**
 * What a person is told of a call beside its questions: what the tool is, and what it was called with. It is listed with the
 * open round, so it is cut to what a person reads, whatever size the input has; and the run's secrets are taken out of it.
 */
import type { Prompt, Runnable, Vault } from "@photon/core";
import { isRecord, type Params } from "../jsonrpc/messages.ts";

export interface CallSummary {
  readonly title?: string;
  readonly description?: string;
  /** What it was called with. Secrets are `[secret]`; long texts and lists are cut, and end with "…". */
  readonly input?: unknown;
}

const MAX_TITLE = 200;
const MAX_DESCRIPTION = 2000;
/** Of the input: characters in all and of one text, members of one list or object, and levels. */
const MAX_CHARACTERS = 4000;
const MAX_TEXT = 1000;
const MAX_MEMBERS = 50;
const MAX_DEPTH = 6;
const CUT = "…";

/** What has words of its own: a tool, a prompt or a resource. */
export type Described = Runnable<never, unknown> & Pick<Prompt<never>, "title" | "description">;

/** `input`: whether it is told what the call was made with. */
export function summaryOf(
  { title, description }: Described,
  params: Params,
  secrets: Vault,
  { input: isTold }: { readonly input: boolean },
): CallSummary {
  const input = isTold ? inputOf(params, secrets) : undefined;
  return {
    ...(title === undefined ? {} : { title: cut(title, MAX_TITLE) }),
    ...(description === undefined ? {} : { description: cut(description, MAX_DESCRIPTION) }),
    ...(input === undefined ? {} : { input }),
  };
}

/** The input of a call; nothing, where it has none. */
function inputOf({ arguments: given, uri }: Params, secrets: Vault): unknown {
  const input = given ?? (uri === undefined ? {} : { uri });
  if (isRecord(input) && Object.keys(input).length === 0) return undefined;
  // Texts are redacted before they are cut; what is left to redact is a number.
  return secrets.redact(shorten(input, { left: MAX_CHARACTERS }, MAX_DEPTH, secrets));
}

function shorten(value: unknown, room: { left: number }, depth: number, secrets: Vault): unknown {
  if (typeof value === "string") {
    const text = cut(secrets.redactText(value), Math.max(0, Math.min(MAX_TEXT, room.left)));
    room.left -= text.length;
    return text;
  }
  if (typeof value !== "object" || value === null) {
    room.left -= String(value).length;
    return value;
  }
  if (depth === 0) return CUT;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (items.length === MAX_MEMBERS || room.left <= 0) return [...items, CUT];
      items.push(shorten(item, room, depth - 1, secrets));
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    if (members.length === MAX_MEMBERS || room.left <= 0) {
      members.push([CUT, CUT]);
      break;
    }
    const shown = cut(secrets.redactText(name), MAX_TITLE);
    room.left -= shown.length;
    members.push([shown, shorten(Reflect.get(value, name), room, depth - 1, secrets)]);
  }
  return Object.fromEntries(members);
}

const cut = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most) + CUT);
