/** What a question asks for, and what Photon knows of it beyond that. Pure. */
import type { Details, Wanted } from "../desk/question.ts";
import { isRecord } from "../is-record.ts";
import { numberIn, recordIn, textIn, type Fields } from "../wire/record.ts";

/** Nothing, for what this page cannot be asked. */
export function wantedIn(method: string, params: Fields): Wanted | undefined {
  if (method === "sampling/createMessage") return { by: "sample", params: withoutMeta(params) };
  if (method !== "elicitation/create") return undefined;
  const url = textIn(params, "url");
  if (params["mode"] === "url") return url === undefined ? undefined : { by: "url", url };
  return { by: "form", schema: recordIn(params, "requestedSchema") };
}

export function messageIn(params: Fields): string {
  return textIn(params, "message") ?? "";
}

export function detailsIn(details: unknown): Details {
  if (!isRecord(details)) return {};
  const ask = textIn(details, "ask");
  const hint = textIn(details, "hint");
  const description = textIn(details, "description");
  const attempt = numberIn(details, "attempt");
  const deadline = Date.parse(textIn(details, "deadline") ?? "");
  const options = Object.entries(recordIn(details, "options")).filter(
    (option): option is [string, string] => typeof option[1] === "string",
  );
  return {
    ...(ask === undefined ? {} : { ask }),
    ...(details["dangerous"] === true ? { dangerous: true } : {}),
    ...(Number.isNaN(deadline) ? {} : { deadline }),
    ...(hint === undefined ? {} : { hint }),
    ...(description === undefined ? {} : { description }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
    ...boundsIn(details),
  };
}

/** The bounds of fields, where there are any. */
export function boundsIn(details: Fields): Pick<Details, "bounds"> {
  const bounds = Object.entries(recordIn(details, "bounds")).filter((field): field is [string, Fields] =>
    isRecord(field[1]),
  );
  return bounds.length === 0 ? {} : { bounds: Object.fromEntries(bounds) };
}

function withoutMeta({ _meta, ...params }: Fields): Fields {
  return params;
}
