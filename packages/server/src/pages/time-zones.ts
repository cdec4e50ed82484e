/** Time zones to choose from beside a date and time: a page without scripts does not know the zone of the browser. */

/** The zone of this machine, as a choice. */
export const LOCAL_ZONE = "here";

export interface Zone {
  readonly value: string;
  readonly title: string;
}

/** Every offset in use. */
const OFFSETS =
  "-12:00 -11:00 -10:00 -09:30 -09:00 -08:00 -07:00 -06:00 -05:00 -04:00 -03:30 -03:00 -02:00 -01:00 +01:00 +02:00 +03:00 +03:30 +04:00 +04:30 +05:00 +05:30 +05:45 +06:00 +06:30 +07:00 +08:00 +08:45 +09:00 +09:30 +10:00 +10:30 +11:00 +12:00 +12:45 +13:00 +14:00";

const UTC: Zone = { value: "Z", title: "UTC" };

/** The zones to choose from; `isHere`: the browser is on this machine, whose zone is the default. */
export function zones(isHere: boolean): readonly Zone[] {
  const offsets = OFFSETS.split(" ").map((value) => ({ value, title: `UTC${value.replace("-", "−")}` }));
  const here = { value: LOCAL_ZONE, title: `Local time (${zoneHere()})` };
  return [...(isHere ? [here] : []), UTC, ...offsets];
}

const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** An ISO date and time as a local time and its zone. */
export function fromIsoDateTime(
  moment: string,
): { readonly clock: string; readonly zone: string } | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.exec(moment);
  if (parts === null) return undefined;
  const [, day = "", time = "", seconds = "", zone = ""] = parts;
  const isUtc = /^(?:z|[+-]00:00)$/i.test(zone);
  return {
    clock: `${day}T${time}${/^:00(?:\.0+)?$/.test(seconds) ? "" : seconds}`,
    zone: isUtc ? "Z" : zone,
  };
}

/** The ISO date and time of a local time and its zone; the text where it is no local time. */
export function toIsoDateTime(clock: string, zone: string, isHere: boolean): string {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(clock.trim());
  if (parts === null) return clock;
  const [, day = "", time = "", seconds = ":00"] = parts;
  const local = `${day}T${time}${seconds}`;
  const known = zones(isHere).some(({ value }) => value === zone) || /^[+-]\d\d:\d\d$/.test(zone);
  if (!known) return local;
  return `${local}${zone === LOCAL_ZONE ? offsetHere(local) : zone}`;
}

/** The offset of this machine from UTC at a local time. */
function offsetHere(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  if (Number.isNaN(minutes) || minutes === 0) return "Z";
  const spelled = (amount: number): string => String(amount).padStart(2, "0");
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${spelled(hours)}:${spelled(rest)}`;
}
