/**
 * Values that must not be seen.
 *
 * A `Secret` shows as `[secret]` however it is printed. A run keeps the values
 * of its secrets in a `SecretRedactor`, which takes them out of everything that leaves.
 */
import { isPlainObject } from "./util/json.ts";
import {
  fromBinary,
  isProxy,
  inspectOwn,
  printed,
  textToBase64,
  toBinary,
  utf8,
  wellFormed,
} from "./util/platform.ts";

const MASK = "[secret]";

/** A value that prints, serialises and interpolates as `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Hand it to whoever needs it; keep it out of everything else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }
}

// What Node's `console.log` and `util.inspect` print.
Object.defineProperty(Secret.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: () => MASK });

let wasSecretGiven = false;

/** Whether any run of this process was given a secret. What no run is known to have thrown may contain one from then on. */
export const hasGivenSecrets = (): boolean => wasSecretGiven;

const NONE: readonly string[] = [];

/** Stands among the copies of objects where one of them was dropped. */
const DROPPED = {};

/** What stands where a text was cut short. */
const CUT = "…";

/** The secrets of one run, by the key of the question they answered. Most runs have none, and pay nothing for it. */
export class SecretRedactor {
  #values: Map<string, string> | undefined;
  #hidden: Set<string> | undefined;
  #encodedForms = NONE;
  /** The same as they stand among bytes. */
  #inBytes: readonly string[] | undefined;

  get(key: string): string | undefined {
    return this.#values?.get(key);
  }

  put(key: string, value: string): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
    this.register(value);
  }

  /** Takes a value out of everything that leaves, from now on. */
  register(value: string): void {
    wasSecretGiven = true;
    this.#hidden ??= new Set();
    if (value === "" || this.#hidden.has(value)) return;
    this.#hidden.add(value);
    this.#encodedForms = [...this.#encodedForms, ...encodedForms(value)].toSorted(
      (a, b) => b.length - a.length,
    );
    this.#inBytes = undefined;
  }

  /** Whether there is nothing to be taken out of anything. */
  get isEmpty(): boolean {
    return this.#encodedForms.length === 0;
  }

  /** Whether a secret stands anywhere in a value, however deep it is. */
  contains(value: unknown): boolean {
    return typeof value === "object" && value !== null ? this.#isWithin(value) : this.#isOne(value);
  }

  #isWithin(value: object): boolean {
    const seen = new Set<unknown>();
    const left: unknown[] = [value];
    while (left.length > 0) {
      const one = left.pop();
      if (this.#isOne(one)) return true;
      if (typeof one !== "object" || one === null || seen.has(one) || ArrayBuffer.isView(one)) continue;
      seen.add(one);
      if (!Array.isArray(one) && !isPlainObject(one) && this.#prints(one, 0)) return true;
      for (const [name, member] of Object.entries(one)) left.push(name, member);
    }
    return false;
  }

  #isOne(value: unknown): boolean {
    if (typeof value === "string") return this.redactText(value) !== value;
    if (ArrayBuffer.isView(value)) return this.#redactedView(value) !== value;
    if (typeof value === "symbol" || typeof value === "function") return this.#prints(value, 0);
    return value instanceof Secret || this.#isNumber(value);
  }

  /** Whether a secret is in the text that is written where a value is printed, or where it is named by its class. */
  #prints(value: unknown, depth: number): boolean {
    try {
      // The source of a function is printed by no log, but is all that is left of it as a text.
      const text =
        typeof value === "function" ? `${String(value)} ${Function.prototype.toString.call(value)} ` : "";
      return this.contains(text + printed(value, depth)) || this.contains(classNames(value));
    } catch {
      // What cannot be read is not passed on.
      return true;
    }
  }

  /** The same value, with every secret in it replaced by `[secret]`. */
  redact<T>(value: T): T {
    // What comes out has the shape of what went in: only texts are replaced, by texts; and a number that is a secret.
    return this.#encodedForms.length === 0 ? value : (this.#redactedWhole(value) as T);
  }

  #redactedWhole(value: unknown): unknown {
    const seen = new Map<object, unknown>();
    const clean = this.#redacted(value, seen);
    // A copy that had to be dropped may be left in what leads back to it.
    if (!seen.has(DROPPED) || !this.#prints(clean, 20)) return clean;
    if (!isPlainObject(clean)) return MASK;
    const members = Object.entries(clean);
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.#prints(member, 20) ? MASK : member]),
    );
  }

  /** Takes the secrets out of an error, and out of all it carries, in place: whoever catches it expects the same object. */
  redactError(error: unknown): unknown {
    if (this.#encodedForms.length === 0) return error;
    if (typeof error !== "object" || error === null) return this.redact(error);
    try {
      if (isProxy(error)) throw uncleanable();
      if (ArrayBuffer.isView(error)) return this.#redactedView(error);
      this.#clean(error, new Set());
      if (this.#revealsSecret(error) || this.#saysOfItself(error) || this.#prints(error, 20))
        throw uncleanable();
      return error;
    } catch {
      // What cannot be cleaned is frozen, or a trap; an error that says less takes its place.
      return new Error(this.redactText(messageOf(error) ?? "Something was thrown."));
    }
  }

  /** Whether a secret is in what an error says by what is not its own: a message that its class makes up anew each time. */
  #saysOfItself(error: object): boolean {
    const { message, stack, name, code } = error as { readonly [field: string]: unknown };
    return this.contains([message, stack, name, code, error instanceof Error ? String(error) : ""]);
  }

  /** Replaces every text in an object, and in what it leads to. */
  #clean(value: object, seen: Set<object>): void {
    if (seen.has(value) || ArrayBuffer.isView(value)) return;
    seen.add(value);
    if (value instanceof Map) {
      const members = [...value];
      value.clear();
      for (const [key, member] of members) value.set(this.#cleaned(key, seen), this.#cleaned(member, seen));
    }
    if (value instanceof Set) {
      const members = [...value];
      value.clear();
      for (const member of members) value.add(this.#cleaned(member, seen));
    }
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property === undefined) continue;
      const name = this.#cleanName(key);
      if (!("value" in property)) {
        this.#replaceGetter(value, key, name, seen);
        continue;
      }
      const clean = this.#cleaned(property.value, seen);
      const isKept = name === key || Reflect.deleteProperty(value, key);
      const isSame = name === key && clean === property.value;
      if (!isKept || !(isSame || Reflect.set(value, name, clean))) throw uncleanable();
    }
  }

  /** Puts what a getter returns in its place: it could return something else the next time. */
  #replaceGetter(value: object, key: string | symbol, name: string | symbol, seen: Set<object>): void {
    let returned: unknown = MASK;
    try {
      returned = Reflect.get(value, key);
    } catch {
      // What it throws may be anything.
    }
    const clean = {
      value: this.#cleaned(returned, seen),
      enumerable: Object.prototype.propertyIsEnumerable.call(value, key),
      writable: true,
      configurable: true,
    };
    if (!Reflect.deleteProperty(value, key) || !Reflect.defineProperty(value, name, clean))
      throw uncleanable();
  }

  #cleaned(value: unknown, seen: Set<object>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isNumber(value)) return MASK;
    if (typeof value === "symbol" || typeof value === "function")
      return isProxy(value) || this.#prints(value, 0) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return this.#redactedView(value);
    // Of these nobody knows what they tell later.
    if (isProxy(value) || value instanceof Promise) return MASK;
    // Not looked into any further: what somebody else's object is made of is not for us to change.
    const isOurs = isPlainObject(value) || value instanceof Error;
    if (!isOurs && this.#revealsSecret(value)) return MASK;
    this.#clean(value, seen);
    const isTold =
      this.#revealsSecret(value) ||
      this.#prints(value, 0) ||
      (value instanceof Error && this.#saysOfItself(value));
    return isTold ? MASK : value;
  }

  #cleanName(name: string | symbol): string | symbol {
    if (typeof name === "string") return this.redactText(name);
    const { description = "" } = name;
    const clean = this.redactText(description);
    return clean === description ? name : Symbol(clean);
  }

  /** Whether something tells a secret by what is none of its properties, as an address or headers do. */
  #revealsSecret(value: object): boolean {
    try {
      if (this.contains(inspectOwn(value))) return true;
      const toJson: unknown = Reflect.get(value, "toJSON");
      return typeof toJson === "function" && this.contains(Reflect.apply(toJson, value, []));
    } catch {
      // What cannot be read is not passed on.
      return true;
    }
  }

  /** Whether a value is a secret of digits, such as a code, as a number. */
  #isNumber(value: unknown): boolean {
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : "";
    return text.length >= SHORTEST_PART && this.#hidden?.has(text) === true;
  }

  redactText(text: string): string {
    const clean = without(this.#encodedForms, text);
    return clean.includes(CUT) ? this.#redactCut(clean) : clean;
  }

  /** A text that is quoted in an error is cut short, and so is a secret that stands where that is. */
  #redactCut(text: string): string {
    const parts = text.split(CUT);
    const last = parts.length - 1;
    return parts.map((part, at) => (at < last ? this.#redactEnd(part) : part)).join(CUT);
  }

  /** A text without the beginning of a secret that it ends with. */
  #redactEnd(text: string): string {
    let end = text.length;
    for (const form of this.#encodedForms) {
      const head = form.slice(0, SHORTEST_PART);
      let at = head.length < SHORTEST_PART ? -1 : text.indexOf(head, text.length - form.length);
      while (at !== -1 && !form.startsWith(text.slice(at))) at = text.indexOf(head, at + 1);
      if (at !== -1) end = Math.min(end, at);
    }
    return end === text.length ? text : text.slice(0, end) + MASK;
  }

  /** The same bytes, where there is no secret among them: they leave as base64. */
  #redactedBytes(bytes: Uint8Array): Uint8Array {
    this.#inBytes ??= this.#encodedForms.map(utf8);
    const binary = toBinary(bytes);
    const clean = without(this.#inBytes, binary);
    return clean === binary ? bytes : fromBinary(clean);
  }

  #redactedView(view: ArrayBufferView): unknown {
    if (view instanceof Uint8Array) return this.#redactedBytes(view);
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    return this.#redactedBytes(bytes) === bytes ? view : MASK;
  }

  /** A getter may throw anything. */
  #redactedMember(value: object, name: string, seen: Map<object, unknown>): unknown {
    try {
      return this.#redacted(Reflect.get(value, name), seen);
    } catch {
      return MASK;
    }
  }

  #redacted(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isNumber(value)) return MASK;
    if (typeof value === "symbol" || typeof value === "function")
      return isProxy(value) || this.#prints(value, 0) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      seen.set(value, copy);
      for (const item of value) copy.push(this.#redacted(item, seen));
      return copy;
    }
    if (value instanceof Error) return this.redactError(value);
    if (ArrayBuffer.isView(value)) return this.#redactedView(value);
    const copy: object = {};
    const isPlain = isPlainObject(value);
    if (!isPlain) {
      if (isProxy(value) || this.#revealsSecret(value)) return MASK;
      // What is of a class of its own stays what it is, unless there is something to be taken out of it.
      if (!this.#isWithin(value)) return this.#prints(value, 20) ? MASK : value;
      Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
    }
    seen.set(value, copy);
    for (const name of Object.keys(value)) {
      Object.defineProperty(copy, this.redactText(name), {
        value: this.#redactedMember(value, name, seen),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    if (!this.#revealsSecret(copy) && (isPlain || !this.#prints(copy, 20))) return copy;
    seen.set(value, MASK);
    seen.set(DROPPED, true);
    return MASK;
  }
}

/** The message of an error, read once; nothing where it is none, or cannot be read. */
function messageOf(error: unknown): string | undefined {
  try {
    const message: unknown = error instanceof Error ? error.message : undefined;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the classes that a value is of. */
function classNames(value: unknown): string {
  let names = "";
  for (let at: unknown = value; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
    const maker: unknown = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
    if (typeof maker === "function") names += ` ${maker.name}`;
  }
  return names;
}

const uncleanable = (): Error => new TypeError("It cannot be cleaned.");

/** A text, or bytes as one, without any of these. */
function without(forms: readonly string[], text: string): string {
  let clean = text;
  for (const form of forms) {
    if (clean === form) return MASK;
    if (form.length >= SHORTEST_PART) clean = clean.replaceAll(form, MASK);
  }
  return clean;
}

/** The spellings in which a value may leave. Pure. */

/** Shorter values are only recognised when they stand alone: "1" is in every other text. */
const SHORTEST_PART = 6;

/** How a value may be spelled: as it is, inside JSON, inside a URL, as base64. */
function encodedForms(value: string): readonly string[] {
  const base64 = [textToBase64(value), ...base64Within(value)];
  const others = base64.flatMap((one) => [one, one.replace(/=+$/, ""), urlSafe(one)]);
  return [...new Set([value, ...inJson(value), ...inUrl(value), ...others])];
}

/** Once and twice: in ASCII or not, in lower or upper case, with the slash escaped or not. */
function inJson(value: string): readonly string[] {
  const once = [
    escaped(value),
    asciiOf(value, codeUnit),
    asciiOf(value, (unit) => `\\u${codeUnit(unit).slice(2).toUpperCase()}`),
  ];
  const all = [...once, ...once.map(slashesEscaped)];
  const twice = all.map(escaped);
  return [...all, ...twice, ...twice.map(slashesEscaped)];
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const slashesEscaped = (json: string): string => json.replaceAll("/", String.raw`\/`);

/** What JSON escapes by one letter stays so; of the rest, what is no printable ASCII is spelled as code units. */
const asciiOf = (value: string, spell: (unit: string) => string): string =>
  value.replaceAll(/[^ !#-[\]-~]/g, (unit) => {
    const json = escaped(unit);
    return json.length === 2 ? json : spell(unit);
  });

const codeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What is percent-encoded in the parts of an address, as the URL Standard has it, and by functions of JavaScript. */
const ENCODED_IN_URLS: readonly RegExp[] = [
  // A fragment, and a query: of any scheme, and of http.
  /[^!#-;=?-_a-~]/gu,
  /[^!$-;=?-~]/gu,
  /[^!$-&(-;=?-~]/gu,
  // A path, before and after the standard had "^" encoded; a user and a password.
  /[^!$-;=@-_a-z|~]/gu,
  /[^!$-;=@-\]_a-z|~]/gu,
  /[^!$-.0-9A-Z_a-z~]/gu,
  // `encodeURI`, `encodeURIComponent`, and the latter with what forms encode as well.
  /[^!#$&-;=?-Z_a-z~]/gu,
  /[^!'()*\-.0-9A-Z_a-z~]/gu,
  /[^*\-.0-9A-Z_a-z]/gu,
];

/** In upper and lower case. Forms have a blank as "+". */
function inUrl(value: string): readonly string[] {
  const text = wellFormed(value);
  const urls = ENCODED_IN_URLS.map((encoded) => text.replaceAll(encoded, percentEncoded));
  const all = [...urls, ...urls.slice(-2).map((one) => one.replaceAll("%20", "+"))];
  return [...all, ...all.map((one) => one.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()))];
}

const percentEncoded = (character: string): string => {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
};

const urlSafe = (base64: string): string =>
  base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** What a longer text in base64 has of this one, wherever that begins: three characters stand for four, so there are three ways. */
function base64Within(text: string): readonly string[] {
  const bytes = utf8(text).length;
  const ways = [0, 1, 2].map((before) =>
    textToBase64("\0".repeat(before) + text).slice(
      before === 0 ? 0 : before + 1,
      Math.floor(((before + bytes) * 4) / 3),
    ),
  );
  return ways.filter((way) => way.length >= SHORTEST_PART);
}
