/**
 * A value in a few words, for an error message.
 *
 * It is shown whatever it is: cyclic, a proxy, with getters that throw. It is
 * cut short, and nothing in it is run but what reading its properties runs.
 */
const LONGEST = 120;

/** What was found, as a person would name it: `the string "hi"`, `a Promise`, `{ emit: "tsk" }`. */
export function describeValue(value: unknown): string {
  try {
    return naming(value);
  } catch {
    return "a value that cannot be read";
  }
}

/** Words as they begin a sentence. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function naming(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the string ${quote(value)}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value === "symbol" || typeof value === "bigint")
    return `the ${typeof value} ${value.toString()}`;
  if (typeof value === "number" || typeof value === "boolean") return `the ${typeof value} ${value}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return literal(value);
  const maker: unknown = value.constructor;
  const name = typeof maker === "function" ? maker.name : "";
  return name === "" ? "an instance of a class" : `${/^[AEIOU]/i.test(name) ? "an" : "a"} ${name}`;
}

/** One level of an object; what is deeper is told by its kind. */
function literal(value: object): string {
  const members = Object.entries(value).map(([name, member]) => `${name}: ${brief(member)}`);
  const text = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  return cut(text);
}

function brief(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "[…]";
  if (typeof value === "object" && value !== null) return "{…}";
  return typeof value === "function" ? "function" : String(value);
}

function quote(text: string): string {
  return JSON.stringify(cut(text));
}

/** The beginning of a text, without half a character at its end. */
function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
