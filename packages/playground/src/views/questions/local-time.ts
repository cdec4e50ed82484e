/** Moments on the wire (RFC 3339) and in a box for local time. */

/** As a `datetime-local` box has it; nothing for what is no moment. */
export function localTime(moment: string): string {
  const time = Date.parse(moment);
  if (Number.isNaN(time)) return "";
  const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString();
  return shifted.slice(0, shifted.slice(17, 19) === "00" ? 16 : 19);
}

/** As the wire has it, in UTC. */
export function momentOf(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
