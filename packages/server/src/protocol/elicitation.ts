/** Asks as `elicitation/create`, and its results as replies. Pure. */
import type { Ask, FieldAsk, FormAsk, JsonSchema, OpenQuestion, Reply } from "@photon/core";
import { isRecord, type Params, type JsonObject } from "../jsonrpc/messages.ts";
import {
  fieldsOf,
  formFor,
  hasForm,
  isSplit,
  mayBeNone,
  splitNames,
  type SplitNames,
} from "./elicitation-form.ts";
import type { Features } from "./revisions.ts";

/** The elicitation modes that a client declares. */
export interface Modes {
  readonly form: boolean;
  readonly url: boolean;
}

type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

/** The parameters of `elicitation/create`, or why the client cannot be asked. */
export function elicitationFor(
  ask: OpenAsk,
  modes: Modes,
  features: Features,
  elicitationId: string,
): { readonly params: Params } | { readonly unsupported: string } {
  const message = ask.hint === undefined ? ask.message : `${ask.message} (The last answer ${ask.hint}.)`;
  if (hasForm(ask)) {
    if (!modes.form) return { unsupported: "the client shows no forms (elicitation)" };
    const requestedSchema = formFor(ask, features);
    return {
      params: features.elicitation2511
        ? { mode: "form", message, requestedSchema }
        : { message, requestedSchema },
    };
  }
  if (ask.ask !== "url") return { unsupported: `a ${ask.ask} is never asked for in a form` };
  if (!modes.url) return { unsupported: "the client opens no web addresses (url elicitation)" };
  const name = features.since2607 ? {} : { elicitationId };
  return { params: { mode: "url", message, url: ask.url, ...name } };
}

/** The reply in a result, or what is wrong with its shape. */
export function parseElicitResult(
  ask: Ask,
  result: JsonObject,
  features: Features,
): { readonly value: Reply } | { readonly problem: string } {
  const { action, content } = result;
  if (action === "decline" || action === "cancel") return { value: { action } };
  if (action !== "accept") return { problem: "its action is accept, decline or cancel" };
  if (content === undefined || content === null || !hasForm(ask)) return { value: { action } };
  if (!isRecord(content)) return { problem: "its content is an object" };
  const odd = Object.keys(content).find((name) => !isFieldValue(content[name]));
  if (odd !== undefined) return { problem: `its ${odd} is a text, a number, true, false or a list of texts` };
  const value = valueIn(ask, content, features);
  return { value: value === undefined ? { action } : { action, value } };
}

function valueIn(ask: FieldAsk | FormAsk, content: JsonObject, features: Features): unknown {
  const { properties, required } = fieldsOf(ask);
  const filled: [string, unknown][] = [];
  let names: ReturnType<typeof splitNames> | undefined;
  for (const [name, field] of Object.entries(properties)) {
    let value = Object.hasOwn(content, name) ? content[name] : undefined;
    // A client may send a list, as newer revisions do.
    if (isSplit(field, features) && value === undefined) {
      names ??= splitNames(properties);
      const chosen = chosenIn(content, names.get(name));
      value = hasTooFew(field, chosen) && !required.includes(name) ? undefined : chosen;
    }
    // The form does not require such a field, so a client may leave it out.
    if (value === undefined && mayBeNone(field) && required.includes(name)) value = [];
    if (ask.ask !== "form") return value;
    if (value !== undefined) filled.push([name, value]);
  }
  return Object.fromEntries(filled);
}

/** The choices whose field is true. Without any boolean there is no answer, which is not the same as no choice. */
function chosenIn(content: JsonObject, names: SplitNames = new Map()): readonly string[] | null {
  const ticks = [...names].map(([choice, name]) => [choice, content[name] ?? false] as const);
  if (ticks.some(([, tick]) => typeof tick !== "boolean")) return null;
  return ticks.flatMap(([choice, tick]) => (tick === true ? [choice] : []));
}

/** Whether a field was left empty: with a boolean for each choice, that is none of them where at least one is needed. */
function hasTooFew({ minItems }: JsonSchema, value: unknown): boolean {
  return Array.isArray(value) && value.length === 0 && Number(minItems) > 0;
}

function isFieldValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
