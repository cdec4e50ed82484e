/** Values whose type is not known: what was parsed, and what was thrown. Without imports: the thread of the module hooks loads it. */

/** An object with properties of unknown types. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The message of an error, or the value that was thrown in its place. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
