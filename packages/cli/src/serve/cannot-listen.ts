import { PlaygroundMissing, PortTaken } from "@photon/server";
import { UsageError } from "../errors.ts";

/** What somebody can do about a server that could not begin to listen. */
export function cannotListen(error: unknown, port: number, host: string): UsageError {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof PortTaken)
    return new UsageError(
      `Port ${port} of ${host} is taken; stop what listens there, or give another with --port (0: any that is free).`,
      { cause: error },
    );
  if (error instanceof PlaygroundMissing) return new UsageError(reason, { cause: error });
  return new UsageError(`Cannot listen on port ${port} of ${host} (${reason}); give another with --port.`, {
    cause: error,
  });
}
