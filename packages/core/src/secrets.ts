/**
 * Secrets, and their redaction.
 *
 *   1. A `Secret` is `[secret]` however it is printed, serialised or interpolated.
 *   2. The `SecretRedactor` of a run replaces the values of its secrets in everything that leaves the run: emits, questions,
 *      results, errors. It finds them as they are and as JSON, URLs and base64 encode them.
 *   3. A value that cannot be redacted in place, such as a URL or a proxy, is replaced as a whole.
 */
import { isPlainObject } from "./util/json.ts";
import { fromBinary, inspect, INSPECT_SYMBOL, isProxy, toBinary, toUtf8Binary } from "./util/platform.ts";
import { encodedForms } from "./util/encoded-secrets.ts";

const MASK = "[secret]";

/** Shorter forms are redacted only where they are the whole text: "1" is part of many texts. */
const MIN_EMBEDDED_LENGTH = 6;

/** A value that prints, serialises and interpolates as `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value. Pass it only to code that needs it. */
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

// For Node's `console.log` and `util.inspect`.
Object.defineProperty(Secret.prototype, INSPECT_SYMBOL, { value: () => MASK });

let secretSeen = false;

/** Whether any run of this process was given a secret: an uncaught error, which belongs to no run, may contain one. */
export const hasGivenSecrets = (): boolean => secretSeen;

const NO_FORMS: readonly string[] = [];

/** The copies that one redaction has made. */
interface Copies {
  readonly byOriginal: Map<object, unknown>;
  /** Whether one of them was replaced by the mask. In a cyclic value, another copy may reference it. */
  hasDropped: boolean;
}

/** Marks where an error message truncates a quoted text. */
const ELLIPSIS = "…";

/** The secrets of one run, by key of the question. A run without secrets allocates nothing. */
export class SecretRedactor {
  #values: Map<string, string> | undefined;
  #registered: Set<string> | undefined;
  #encodedForms: readonly string[] = NO_FORMS;
  /** The UTF-8 bytes of the encoded forms. */
  #binaryForms: readonly string[] | undefined;

  get(key: string): string | undefined {
    return this.#values?.get(key);
  }

  set(key: string, value: string): void {
    this.#values ??= new Map();
    this.#values.set(key, value);
    this.register(value);
  }

  /** Redacts a value from now on. */
  register(value: string): void {
    secretSeen = true;
    this.#registered ??= new Set();
    if (value === "" || this.#registered.has(value)) return;
    this.#registered.add(value);
    this.#encodedForms = [...this.#encodedForms, ...encodedForms(value)].toSorted(
      (a, b) => b.length - a.length,
    );
    this.#binaryForms = undefined;
  }

  get isEmpty(): boolean {
    return this.#encodedForms.length === 0;
  }

  /** Whether a value contains a secret, at any depth. */
  contains(value: unknown): boolean {
    const seen = new Set<unknown>();
    const left: unknown[] = [value];
    while (left.length > 0) {
      const one = left.pop();
      if (this.#containsShallow(one)) return true;
      if (!isObject(one) || seen.has(one) || ArrayBuffer.isView(one)) continue;
      seen.add(one);
      if (!Array.isArray(one) && !isPlainObject(one) && this.#inspectReveals(one, 0)) return true;
      for (const [name, member] of Object.entries(one)) left.push(name, member);
    }
    return false;
  }

  #containsShallow(value: unknown): boolean {
    if (typeof value === "string") return this.redactText(value) !== value;
    if (ArrayBuffer.isView(value)) return this.#redactView(value) !== value;
    if (typeof value === "symbol" || typeof value === "function") return this.#inspectReveals(value, 0);
    return value instanceof Secret || this.#isSecretNumber(value);
  }

  /** Whether `util.inspect`, or the name of its class, reveals a secret. */
  #inspectReveals(value: unknown, depth: number): boolean {
    try {
      // `inspect` does not print the source of a function, but `String()` does.
      const text =
        typeof value === "function" ? `${String(value)} ${Function.prototype.toString.call(value)} ` : "";
      return this.contains(text + inspect(value, depth)) || this.contains(classNames(value));
    } catch {
      // A value that cannot be read counts as one that reveals a secret.
      return true;
    }
  }

  /** A copy with every secret replaced by `[secret]`; the same value if there are no secrets. */
  redact<T>(value: T): T {
    // The copy has the same shape: strings are replaced by strings, and only a number that is a secret by a string.
    return this.#encodedForms.length === 0 ? value : (this.#redactCopy(value) as T);
  }

  #redactCopy(value: unknown): unknown {
    const copies: Copies = { byOriginal: new Map(), hasDropped: false };
    const clean = this.#redactValue(value, copies);
    if (!copies.hasDropped || !this.#inspectReveals(clean, 20)) return clean;
    if (!isPlainObject(clean)) return MASK;
    const members = Object.entries(clean);
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.#inspectReveals(member, 20) ? MASK : member]),
    );
  }

  /** Redacts an error and its properties in place: code that catches it expects the same object. */
  redactError(error: unknown): unknown {
    if (this.#encodedForms.length === 0) return error;
    if (!isObject(error)) return this.redact(error);
    try {
      if (isProxy(error)) throw notRedactable();
      if (ArrayBuffer.isView(error)) return this.#redactView(error);
      this.#redactInPlace(error, new Set());
      if (this.#revealsSecret(error) || this.#errorReveals(error) || this.#inspectReveals(error, 20))
        throw notRedactable();
      return error;
    } catch {
      // A frozen object or a proxy: replaced by an error with the redacted message.
      return new Error(this.redactText(readMessage(error) ?? "An error was thrown that cannot be shown."));
    }
  }

  /** Whether inherited properties of an error reveal a secret, such as a getter `message` of its class. */
  #errorReveals(error: object): boolean {
    const { message, stack, name, code } = error as { readonly [field: string]: unknown };
    return this.contains([message, stack, name, code, error instanceof Error ? String(error) : ""]);
  }

  /** Redacts every string of an object, and of the objects that it references. */
  #redactInPlace(value: object, seen: Set<object>): void {
    if (seen.has(value)) return;
    seen.add(value);
    if (value instanceof Map) {
      const members = [...value];
      value.clear();
      for (const [key, member] of members)
        value.set(this.#redactMember(key, seen), this.#redactMember(member, seen));
    }
    if (value instanceof Set) {
      const members = [...value];
      value.clear();
      for (const member of members) value.add(this.#redactMember(member, seen));
    }
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property === undefined) continue;
      const name = this.#redactName(key);
      const member = "value" in property ? (property.value as unknown) : readProperty(value, key);
      const clean = this.#redactMember(member, seen);
      // A getter is replaced by its redacted value: it could return something else the next time.
      if ("value" in property && name === key && clean === member) continue;
      const { enumerable = false, configurable = false } = property;
      const isReplaced =
        (name === key || Reflect.deleteProperty(value, key)) &&
        Reflect.defineProperty(value, name, { value: clean, enumerable, configurable, writable: true });
      if (!isReplaced) throw notRedactable();
    }
  }

  #redactMember(value: unknown, seen: Set<object>): unknown {
    if (!isObject(value) || value instanceof Secret) return this.#redactLeaf(value);
    if (ArrayBuffer.isView(value)) return this.#redactView(value);
    // Both may reveal a secret later.
    if (isProxy(value) || value instanceof Promise) return MASK;
    // Objects of other classes, such as URL or Headers, are not changed.
    const mayChange = isPlainObject(value) || value instanceof Error;
    if (!mayChange && this.#revealsSecret(value)) return MASK;
    this.#redactInPlace(value, seen);
    const stillReveals =
      this.#revealsSecret(value) ||
      this.#inspectReveals(value, 0) ||
      (value instanceof Error && this.#errorReveals(value));
    return stillReveals ? MASK : value;
  }

  #redactName(name: string | symbol): string | symbol {
    if (typeof name === "string") return this.redactText(name);
    const { description = "" } = name;
    const clean = this.redactText(description);
    return clean === description ? name : Symbol(clean);
  }

  /** Whether a custom `inspect` or `toJSON` reveals a secret that is not in a property, as those of URL and Headers do. */
  #revealsSecret(value: object): boolean {
    try {
      const hasInspect = typeof Reflect.get(value, INSPECT_SYMBOL) === "function";
      if (hasInspect && this.contains(inspect(value, 4))) return true;
      const toJson: unknown = Reflect.get(value, "toJSON");
      return typeof toJson === "function" && this.contains(Reflect.apply(toJson, value, []));
    } catch {
      // A value that cannot be read counts as one that reveals a secret.
      return true;
    }
  }

  /** Whether a number is a secret of digits, such as a code. */
  #isSecretNumber(value: unknown): boolean {
    const text = typeof value === "number" || typeof value === "bigint" ? String(value) : "";
    return text.length >= MIN_EMBEDDED_LENGTH && this.#registered?.has(text) === true;
  }

  redactText(text: string): string {
    const clean = removeForms(this.#encodedForms, text);
    return clean.includes(ELLIPSIS) ? this.#redactTruncated(clean) : clean;
  }

  /** An error truncates a text that it quotes, maybe in the middle of a secret. */
  #redactTruncated(text: string): string {
    const parts = text.split(ELLIPSIS);
    const last = parts.length - 1;
    return parts.map((part, at) => (at < last ? this.#redactEnd(part) : part)).join(ELLIPSIS);
  }

  /** Redacts the beginning of a secret at the end of a text. */
  #redactEnd(text: string): string {
    let end = text.length;
    for (const form of this.#encodedForms) {
      const head = form.slice(0, MIN_EMBEDDED_LENGTH);
      let at = head.length < MIN_EMBEDDED_LENGTH ? -1 : text.indexOf(head, text.length - form.length);
      while (at !== -1 && !form.startsWith(text.slice(at))) at = text.indexOf(head, at + 1);
      if (at !== -1) end = Math.min(end, at);
    }
    return end === text.length ? text : text.slice(0, end) + MASK;
  }

  /** The same bytes if they contain no secret. */
  #redactBytes(bytes: Uint8Array): Uint8Array {
    this.#binaryForms ??= this.#encodedForms.map(toUtf8Binary);
    const binary = toBinary(bytes);
    const clean = removeForms(this.#binaryForms, binary);
    return clean === binary ? bytes : fromBinary(clean);
  }

  #redactView(view: ArrayBufferView): unknown {
    if (view instanceof Uint8Array) return this.#redactBytes(view);
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    return this.#redactBytes(bytes) === bytes ? view : MASK;
  }

  /** The mask replaces a property that cannot be read. */
  #redactProperty(value: object, name: string, copies: Copies): unknown {
    try {
      return this.#redactValue(Reflect.get(value, name), copies);
    } catch {
      return MASK;
    }
  }

  /** Redacts a value that has no members. */
  #redactLeaf(value: unknown): unknown {
    if (typeof value === "string") return this.redactText(value);
    return this.#containsShallow(value) || isProxy(value) ? MASK : value;
  }

  #redactValue(value: unknown, copies: Copies): unknown {
    if (!isObject(value) || value instanceof Secret) return this.#redactLeaf(value);
    const { byOriginal } = copies;
    const known = byOriginal.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      byOriginal.set(value, copy);
      for (const item of value) copy.push(this.#redactValue(item, copies));
      return copy;
    }
    if (value instanceof Error) return this.redactError(value);
    if (ArrayBuffer.isView(value)) return this.#redactView(value);
    const copy: object = {};
    const isPlain = isPlainObject(value);
    if (!isPlain) {
      if (isProxy(value) || this.#revealsSecret(value)) return MASK;
      // An instance of a class is copied only if it contains a secret.
      if (!this.contains(value)) return this.#inspectReveals(value, 20) ? MASK : value;
      Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
    }
    byOriginal.set(value, copy);
    for (const name of Object.keys(value)) {
      Object.defineProperty(copy, this.redactText(name), {
        value: this.#redactProperty(value, name, copies),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    if (!this.#revealsSecret(copy) && (isPlain || !this.#inspectReveals(copy, 20))) return copy;
    byOriginal.set(value, MASK);
    copies.hasDropped = true;
    return MASK;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The value of a property; the mask if it is a getter that throws. */
function readProperty(value: object, key: string | symbol): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return MASK;
  }
}

/** The message of an error; undefined if it cannot be read. */
function readMessage(error: unknown): string | undefined {
  try {
    const message: unknown = error instanceof Error ? error.message : undefined;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The names of a value's classes. */
function classNames(value: unknown): string {
  let names = "";
  for (let at: unknown = value; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
    const maker: unknown = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
    if (typeof maker === "function") names += ` ${maker.name}`;
  }
  return names;
}

const notRedactable = (): Error => new TypeError("The value cannot be redacted.");

function removeForms(forms: readonly string[], text: string): string {
  let clean = text;
  for (const form of forms) {
    if (clean === form) return MASK;
    if (form.length >= MIN_EMBEDDED_LENGTH) clean = clean.replaceAll(form, MASK);
  }
  return clean;
}
