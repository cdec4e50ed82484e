/**
 * Values that must not be seen.
 *
 * A `Secret` shows as `[secret]` however it is printed. A run keeps the values
 * of its secrets in a `Vault`, which takes them out of everything that leaves.
 */
import { isPlainObject } from "./json.ts";
import { fromBinary, ownPrint, toBinary, utf8 } from "./platform.ts";
import { SHORTEST_PART, spellings } from "./spellings.ts";

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

const NONE: readonly string[] = [];

/** What stands where a text was cut short. */
const CUT = "…";

/** The secrets of one run, by the key of the question they answered. Most runs have none, and pay nothing for it. */
export class Vault {
  #values: Map<string, string> | undefined;
  #hidden: Set<string> | undefined;
  #forms = NONE;
  /** The same as they stand among bytes. */
  #inBytes: readonly string[] | undefined;

  get(key: string): string | undefined {
    return this.#values?.get(key);
  }

  put(key: string, value: string): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
    this.hide(value);
  }

  /** Takes a value out of everything that leaves, from now on. */
  hide(value: string): void {
    this.#hidden ??= new Set();
    if (value === "" || this.#hidden.has(value)) return;
    this.#hidden.add(value);
    this.#forms = [...this.#forms, ...spellings(value)].toSorted((a, b) => b.length - a.length);
    this.#inBytes = undefined;
  }

  /** Whether there is nothing to be taken out of anything. */
  get isEmpty(): boolean {
    return this.#forms.length === 0;
  }

  /** Whether a secret stands anywhere in a value, however deep it is. */
  isIn(value: unknown): boolean {
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
      for (const [name, member] of Object.entries(one)) left.push(name, member);
    }
    return false;
  }

  #isOne(value: unknown): boolean {
    if (typeof value === "string") return this.redactText(value) !== value;
    if (value instanceof Uint8Array) return this.#redactedBytes(value) !== value;
    return value instanceof Secret || this.#isNumber(value);
  }

  /** The same value, with every secret in it replaced by `[secret]`. */
  redact<T>(value: T): T {
    // What comes out has the shape of what went in: only texts are replaced, by texts; and a number that is a secret.
    return this.#forms.length === 0 ? value : (this.#redacted(value, new Map()) as T);
  }

  /** Takes the secrets out of an error, and out of all it carries, in place: whoever catches it expects the same object. */
  redactError(error: unknown): unknown {
    if (this.#forms.length === 0) return error;
    if (typeof error !== "object" || error === null) return this.redact(error);
    try {
      this.#clean(error, new Set());
      const { message, stack }: { readonly message?: unknown; readonly stack?: unknown } = error;
      // What is not its own: a message that its class makes up anew each time.
      if (this.#tells(error) || this.isIn([message, stack])) throw uncleanable();
      return error;
    } catch {
      // What cannot be cleaned is frozen, or a trap; an error that says less takes its place.
      return new Error(this.redactText(error instanceof Error ? error.message : "Something was thrown."));
    }
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
      if (property === undefined || !("value" in property)) continue;
      const clean = this.#cleaned(property.value, seen);
      const name = this.#cleanName(key);
      const isKept = name === key || Reflect.deleteProperty(value, key);
      const isSame = name === key && clean === property.value;
      if (!isKept || !(isSame || Reflect.set(value, name, clean))) throw uncleanable();
    }
  }

  #cleaned(value: unknown, seen: Set<object>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isNumber(value)) return MASK;
    if (typeof value !== "object" || value === null) return value;
    // Not looked into any further: what somebody else's object is made of is not for us to change.
    const isOurs = isPlainObject(value) || value instanceof Error;
    if (!isOurs && this.#tells(value)) return MASK;
    this.#clean(value, seen);
    return this.#tells(value) ? MASK : value;
  }

  #cleanName(name: string | symbol): string | symbol {
    if (typeof name === "string") return this.redactText(name);
    const { description = "" } = name;
    const clean = this.redactText(description);
    return clean === description ? name : Symbol(clean);
  }

  /** Whether something tells a secret by what is none of its properties, as an address or headers do. */
  #tells(value: object): boolean {
    try {
      if (this.isIn(ownPrint(value))) return true;
      const toJson: unknown = Reflect.get(value, "toJSON");
      return typeof toJson === "function" && this.isIn(Reflect.apply(toJson, value, []));
    } catch {
      // What cannot be read is not passed on.
      return true;
    }
  }

  /** Whether a value is a secret of digits, such as a code, as a number. */
  #isNumber(value: unknown): boolean {
    const text = typeof value === "number" ? String(value) : "";
    return text.length >= SHORTEST_PART && this.#hidden?.has(text) === true;
  }

  redactText(text: string): string {
    const clean = without(this.#forms, text);
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
    for (const form of this.#forms) {
      const head = form.slice(0, SHORTEST_PART);
      let at = head.length < SHORTEST_PART ? -1 : text.indexOf(head, text.length - form.length);
      while (at !== -1 && !form.startsWith(text.slice(at))) at = text.indexOf(head, at + 1);
      if (at !== -1) end = Math.min(end, at);
    }
    return end === text.length ? text : text.slice(0, end) + MASK;
  }

  /** The same bytes, where there is no secret among them: they leave as base64. */
  #redactedBytes(bytes: Uint8Array): Uint8Array {
    this.#inBytes ??= this.#forms.map(utf8);
    const binary = toBinary(bytes);
    const clean = without(this.#inBytes, binary);
    return clean === binary ? bytes : fromBinary(clean);
  }

  #redacted(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isNumber(value)) return MASK;
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
    if (value instanceof Uint8Array) return this.#redactedBytes(value);
    const copy: object = {};
    if (!isPlainObject(value)) {
      if (this.#tells(value)) return MASK;
      // What is of a class of its own stays what it is, unless there is something to be taken out of it.
      if (!this.#isWithin(value)) return value;
      Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
    }
    seen.set(value, copy);
    for (const [name, member] of Object.entries(value)) {
      Object.defineProperty(copy, this.redactText(name), {
        value: this.#redacted(member, seen),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return copy;
  }
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
