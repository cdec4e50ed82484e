import { errorResponse, type RpcError } from "./errors.ts";
import type { Response } from "./message.ts";

/** The same answers, with an error in the place of each that is no JSON because an author made it so. */
export function mended(
  answers: Response | readonly Response[],
  problem: RpcError,
): Response | readonly Response[] {
  const mend = (one: Response): Response => (isJson(one) ? one : errorResponse(one.id, problem));
  return "jsonrpc" in answers ? mend(answers) : answers.map(mend);
}

export function isJson(response: Response): boolean {
  try {
    return JSON.stringify(response) !== "";
  } catch {
    return false;
  }
}
