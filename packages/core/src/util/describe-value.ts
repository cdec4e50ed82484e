/**
 * Describes a value for an error message, in a few words.
 *
 * Never throws, also for cyclic objects, proxies and getters that throw. Calls nothing of the value except its getters.
 */
const MAX_LENGTH = 120;

/** `the string "hi"`, `a Promise`, `{ emit: "tsk" }`. */
export function describeValue(value: unknown): string {
  try {
    return describe(value);
  } catch {
    return "a value that cannot be read";
  }
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the string ${quote(value)}`;
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value === "symbol" || typeof value === "bigint")
    return `the ${typeof value} ${value.toString()}`;
  if (typeof value === "number" || typeof value === "boolean") return `the ${typeof value} ${value}`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return describeObject(value);
  const maker: unknown = value.constructor;
  const name = typeof maker === "function" ? maker.name : "";
  return name === ""
    ? "an instance of a class"
    : `${/^(?:[AEIOaeio]|[Uu][a-hj-z])/.test(name) ? "an" : "a"} ${name}`;
}

/** One level of an object. */
function describeObject(value: object): string {
  const members = Object.entries(value).map(([name, member]) => `${name}: ${describeMember(member)}`);
  const text = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  return truncate(text);
}

function describeMember(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "[…]";
  if (typeof value === "object" && value !== null) return "{…}";
  return typeof value === "function" ? "function" : String(value);
}

function quote(text: string): string {
  return JSON.stringify(truncate(text));
}

/** Does not split a surrogate pair. */
function truncate(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
