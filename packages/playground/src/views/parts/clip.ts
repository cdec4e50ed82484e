/** Signs that turn the direction of what follows them, and those that end that. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/gu;

/** A text for a place with little room, or in a sentence of the page's own. What a server names is as long as it likes. */
export function clip(text: string, most = 200): string {
  const short = text.length <= most ? text : `${text.slice(0, most)}…`;
  return short.replaceAll(TURNS, "");
}

const UNITS = ["B", "KB", "MB", "GB"];

export function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1000)), UNITS.length - 1);
  const amount = bytes / 1000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 10 ? 0 : 1)} ${UNITS[power] ?? ""}`;
}

/** Data that fits on a line is not laid out over several. */
const ONE_LINE = 160;

export function inLine(value: unknown): string {
  const short = JSON.stringify(value) ?? String(value);
  return short.length <= ONE_LINE ? short : pretty(value);
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

/** How long something took, as short as it can be said. */
export function spanOf(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return minutes < 1440
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${Math.floor(minutes / 1440)} days`;
}
