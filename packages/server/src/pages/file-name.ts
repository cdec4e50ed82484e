/** What a file is called, by somebody who may mean no good. Pure. */

const LONGEST = 120;
const LONGEST_ENDING = 16;

// Control characters, and those that turn the direction of what follows.
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Names that mean a device somewhere, whatever their ending. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/** A name that is a name and nothing else: no folders, no devices, nothing that a file system or a shell of somewhere takes amiss. */
export function safeName(given: string): string {
  const [last = ""] = given.normalize("NFC").split(/[/\\]/).slice(-1);
  const clean = last
    .replaceAll(UNSEEN, "")
    .replaceAll(/[<>:"|?*]/g, "_")
    .replace(/^\s+/, "")
    .replace(/[\s.]+$/, "");
  if (clean === "") return "file";
  return shortened(DEVICES.test(clean) ? `_${clean}` : clean);
}

/** The beginning and the ending of a name that is too long. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const dot = characters.lastIndexOf(".");
  const ending = dot > 0 && characters.length - dot <= LONGEST_ENDING ? characters.slice(dot) : [];
  return [...characters.slice(0, LONGEST - ending.length), ...ending].join("");
}

/** A media type; bytes of no known type, where it is none. */
export function safeType(given: string | undefined): string {
  const [type = ""] = (given ?? "").toLowerCase().split(";", 1);
  return /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/.test(type.trim())
    ? type.trim()
    : "application/octet-stream";
}
