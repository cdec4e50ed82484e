/** Time zones to choose from beside a date and time: a page without scripts does not know the zone of the browser. */
import type { Choice } from "@photon/core";

/** The zone of this machine, as a choice. */
export const LOCAL_ZONE = "here";

/** Every offset in use. */
const OFFSETS: readonly Choice[] =
  "-12:00 -11:00 -10:00 -09:30 -09:00 -08:00 -07:00 -06:00 -05:00 -04:00 -03:30 -03:00 -02:00 -01:00 +01:00 +02:00 +03:00 +03:30 +04:00 +04:30 +05:00 +05:30 +05:45 +06:00 +06:30 +07:00 +08:00 +08:45 +09:00 +09:30 +10:00 +10:30 +11:00 +12:00 +12:45 +13:00 +14:00"
    .split(" ")
    .map((value) => ({ value, title: `UTC${value.replace("-", "−")}` }));

/** The zones to choose from. `isLocal`: the browser is on this machine, whose zone is the default. */
export function zones(isLocal: boolean): readonly Choice[] {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const here = { value: LOCAL_ZONE, title: `Local time (${timeZone})` };
  return [...(isLocal ? [here] : []), { value: "Z", title: "UTC" }, ...OFFSETS];
}

/** The local time and the zone of an ISO date and time, for the two controls. */
export function fromIsoDateTime(
  dateTime: string,
): { readonly local: string; readonly zone: string } | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.exec(dateTime);
  if (parts === null) return undefined;
  const [, day = "", time = "", seconds = "", zone = ""] = parts;
  const isUtc = /^(?:z|[+-]00:00)$/i.test(zone);
  return {
    local: `${day}T${time}${/^:00(?:\.0+)?$/.test(seconds) ? "" : seconds}`,
    zone: isUtc ? "Z" : zone,
  };
}

/** The ISO date and time of a local time in a zone. Other text is returned unchanged. */
export function toIsoDateTime(text: string, zone: string, isLocal: boolean): string {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/.exec(text.trim());
  if (parts === null) return text;
  const [, day = "", time = "", seconds = ":00"] = parts;
  const local = `${day}T${time}${seconds}`;
  if (zone === LOCAL_ZONE && isLocal) return `${local}${offsetHere(local)}`;
  return zone === "Z" || /^[+-]\d\d:\d\d$/.test(zone) ? `${local}${zone}` : local;
}

/** The offset of this machine from UTC at a local time. */
function offsetHere(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  if (Number.isNaN(minutes) || minutes === 0) return "Z";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const format = (amount: number): string => String(amount).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${format(hours)}:${format(rest)}`;
}
