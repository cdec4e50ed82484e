/**
 * What somebody has typed, as the content of an answer, or what is wrong with it. Pure.
 *
 *   1. An optional field that was left empty is left out. A box whose content the browser cannot read is not empty, though it
 *      has no value: 30 February, half a date, a number with a letter.
 *   2. What goes out fits the schema that came in, and the bounds and patterns beside it; the server checks it again, and
 *      may know better. A pattern that a browser might try for ever is left to the server.
 */
import type { Draft, Drafts } from "./draft.ts";
import { type Field, readDraft } from "./field-kinds.ts";
import type { Read } from "./read-values.ts";

export interface ReadDrafts {
  readonly content: { readonly [field: string]: unknown };
  readonly problems: { readonly [field: string]: string };
}

/** `unread` names the fields whose boxes hold something that the browser cannot read. */
export function readDrafts(
  fields: readonly Field[],
  drafts: Drafts,
  unread: ReadonlySet<string> = new Set(),
): ReadDrafts {
  const read = fields.map((field): readonly [string, Read] => [
    field.name,
    unread.has(field.name) ? { problem: unreadable(field) } : readDraft(field, draftOf(field, drafts)),
  ]);
  return {
    content: Object.fromEntries(
      read.flatMap(([name, one]) => (one !== undefined && "value" in one ? [[name, one.value]] : [])),
    ),
    problems: Object.fromEntries(
      read.flatMap(([name, one]) => (one !== undefined && "problem" in one ? [[name, one.problem]] : [])),
    ),
  };
}

export const draftOf = (field: Field, drafts: Drafts): Draft =>
  Object.hasOwn(drafts, field.name) ? (drafts[field.name] ?? "") : field.suggestion;

function unreadable(field: Field): string {
  if (field.kind !== "date") return "Must be a number.";
  return `Must be a date that exists, with its day, month and year${field.time ? ", and a time" : ""}.`;
}
