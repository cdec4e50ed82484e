import { errorResponse, PARSE_ERROR, RpcError } from "./errors.ts";
import type { ErrorResponse } from "./message.ts";

/** A text as the value it stands for, or the answer to whoever sent it. */
export function decode(text: string): { readonly value: unknown } | { readonly refusal: ErrorResponse } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: errorResponse(undefined, new RpcError(PARSE_ERROR, "That is not JSON.")) };
  }
}
