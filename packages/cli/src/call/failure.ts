/** What can be found out about a failure, whoever threw it. Pure. */

/** An error and its causes, from the outside in. */
function* causesOf(failure: unknown, depth = 0): Generator<object> {
  if (typeof failure !== "object" || failure === null || depth > 10) return;
  yield failure;
  if ("cause" in failure) yield* causesOf(failure.cause, depth + 1);
  // Both addresses of "localhost" may have been tried.
  if (failure instanceof AggregateError) for (const one of failure.errors) yield* causesOf(one, depth + 1);
}

/** The HTTP status that a server refused with. */
export function statusIn(failure: unknown): number | undefined {
  for (const error of causesOf(failure)) {
    const { status, data, code } = error as { status?: unknown; data?: { status?: unknown }; code?: unknown };
    // An SSE error has it as its code; those of JSON-RPC are below zero.
    for (const found of [status, data?.status, code]) {
      if (typeof found === "number" && found >= 100 && found < 600) return found;
    }
  }
  return undefined;
}

/** Only these: a server may write what it likes in capitals. */
const SAID = /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/;

/** What the system says: "ECONNREFUSED", "CERT_HAS_EXPIRED". Some only say it in words. */
export function systemCodeIn(failure: unknown): string | undefined {
  for (const error of causesOf(failure)) {
    const code: unknown = "code" in error ? error.code : undefined;
    if (typeof code === "string" && /^E[A-Z]+$|CERT|_(?:SSL|TLS)_|SIGNATURE/.test(code)) return code;
    const [said] = SAID.exec(error instanceof Error ? error.message : "") ?? [];
    if (said !== undefined) return said;
  }
  return undefined;
}

/** What is at the bottom of it, in its own words. */
export function wordsIn(failure: unknown): string {
  const messages = [...causesOf(failure)].flatMap((error) =>
    error instanceof Error && error.message !== "" ? [error.message] : [],
  );
  return messages.at(-1) ?? String(failure);
}
