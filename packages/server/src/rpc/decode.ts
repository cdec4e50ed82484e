/**
 * A message as text, parsed. Its values and keys are counted first: parsing and checking 4 MiB of empty lists, or of keys,
 * takes seconds, and counting them 10 ms.
 */
import type { Limits } from "../settings.ts";
import { errorResponse, OVER_LIMIT, PARSE_ERROR, RpcError } from "./errors.ts";
import type { ErrorResponse, RequestId } from "./message.ts";

type SizeLimits = Pick<Limits, "messageValues" | "messageKeys">;

/** A text as the value it stands for, or the answer to whoever sent it. */
export function decode(
  text: string,
  limits: SizeLimits,
): { readonly value: unknown } | { readonly refusal: ErrorResponse } {
  const refusal = overLimit(text, limits);
  if (refusal !== undefined) return { refusal };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: errorResponse(undefined, new RpcError(PARSE_ERROR, "That is not JSON.")) };
  }
}

/** The refusal of a text with too many values or keys, under the id of the request where it is one. */
function overLimit(text: string, { messageValues, messageKeys }: SizeLimits): ErrorResponse | undefined {
  // A value takes two characters at least, and a key five.
  if (text.length <= Math.min(2 * messageValues, 5 * messageKeys)) return undefined;
  const { values, keys, id } = count(text);
  const most =
    values > messageValues
      ? `${messageValues} values`
      : keys > messageKeys
        ? `${messageKeys} keys`
        : undefined;
  if (most === undefined) return undefined;
  return errorResponse(
    id,
    new RpcError(OVER_LIMIT, `A message has at most ${most}, in all its objects and lists.`),
  );
}

interface Counted {
  readonly values: number;
  readonly keys: number;
  /** The id of a request. Clients of the SDK write it last. */
  readonly id: RequestId | undefined;
}

/** Counts what a text would be parsed to. Of a text that is no JSON, the counts mean nothing. */
function count(text: string): Counted {
  let values = 1;
  let keys = 0;
  let depth = 0;
  let id: RequestId | undefined;
  let isRequest = false;
  /** Whether nothing has come since a list or an object was opened. */
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

/** Where a string ends that begins at a quote. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text[escapes - 1] === "\\") escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** Nothing where it is no id, or a longer text than any id is. */
function idAfter(text: string, from: number): RequestId | undefined {
  const [, spelled] = /^\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/.exec(text.slice(from, from + 1000)) ?? [];
  try {
    // As the pattern has it, a text or a whole number.
    return spelled === undefined ? undefined : (JSON.parse(spelled) as RequestId);
  } catch {
    return undefined;
  }
}
