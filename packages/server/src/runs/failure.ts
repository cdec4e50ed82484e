/** What a run has failed with: whether that is its end, how it is written down, and how it is read. Pure. */
import { errorResponse, Interrupted, RpcError } from "../jsonrpc/errors.ts";
import type { ErrorResponse } from "../jsonrpc/messages.ts";

/** The ending of a run that has failed: what its client is told. */
type Failure = Pick<ErrorResponse, "error">;

/** Whether something that was thrown is the end of its run: an interruption is not, nor what no client is told. */
export const endsRun = (thrown: unknown): thrown is RpcError =>
  thrown instanceof RpcError && !(thrown instanceof Interrupted);

export function failureOf(problem: RpcError): Failure {
  const { error } = errorResponse(undefined, problem);
  return { error };
}

/** The same, read. */
export function problemIn({ error }: Failure): RpcError {
  const { code, message, data } = error;
  return new RpcError(code, message, data);
}
