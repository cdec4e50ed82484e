/**
 * Secrets, and their redaction.
 *
 *   1. A `Secret` is `[secret]` however it is printed, serialised or interpolated.
 *   2. The `SecretRedactor` of a run replaces the values of its secrets in everything that leaves the run: emits, questions,
 *      results, errors. It finds them as they are and as JSON, URLs and base64 encode them.
 *   3. A value that cannot be redacted in place, such as a URL or a proxy, is replaced as a whole.
 */
import { isPlainObject } from "./util/json.ts";
import {
  fromBinary,
  isProxy,
  inspectOwn,
  inspect,
  textToBase64,
  toBinary,
  toUtf8Binary,
  wellFormed,
} from "./util/platform.ts";

const MASK = "[secret]";

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
Object.defineProperty(Secret.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: () => MASK });

let secretSeen = false;

/** Whether any run of this process was given a secret: an uncaught error, which belongs to no run, may contain one. */
export const hasGivenSecrets = (): boolean => secretSeen;

const NO_FORMS: readonly string[] = [];

/** A key in the map of copies: set when a copy was replaced by the mask. */
const DROPPED = {};

/** Marks where an error message truncates a quoted text. */
const ELLIPSIS = "…";

/** The secrets of one run, by key of the question. A run without secrets allocates nothing. */
export class SecretRedactor {
  #values: Map<string, string> | undefined;
  #registered: Set<string> | undefined;
  #encodedForms = NO_FORMS;
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
    return typeof value === "object" && value !== null
      ? this.#containsDeep(value)
      : this.#containsShallow(value);
  }

  #containsDeep(value: object): boolean {
    const seen = new Set<unknown>();
    const left: unknown[] = [value];
    while (left.length > 0) {
      const one = left.pop();
      if (this.#containsShallow(one)) return true;
      if (typeof one !== "object" || one === null || seen.has(one) || ArrayBuffer.isView(one)) continue;
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
      // What cannot be read is not passed on.
      return true;
    }
  }

  /** A copy with every secret replaced by `[secret]`; the same value if there are no secrets. */
  redact<T>(value: T): T {
    // The copy has the same shape: strings are replaced by strings, and only a number that is a secret by a string.
    return this.#encodedForms.length === 0 ? value : (this.#redactCopy(value) as T);
  }

  #redactCopy(value: unknown): unknown {
    const seen = new Map<object, unknown>();
    const clean = this.#redactValue(value, seen);
    // In a cyclic value, a copy that was replaced by the mask may still be referenced.
    if (!seen.has(DROPPED) || !this.#inspectReveals(clean, 20)) return clean;
    if (!isPlainObject(clean)) return MASK;
    const members = Object.entries(clean);
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.#inspectReveals(member, 20) ? MASK : member]),
    );
  }

  /** Redacts an error and its properties in place: code that catches it expects the same object. */
  redactError(error: unknown): unknown {
    if (this.#encodedForms.length === 0) return error;
    if (typeof error !== "object" || error === null) return this.redact(error);
    try {
      if (isProxy(error)) throw notRedactable();
      if (ArrayBuffer.isView(error)) return this.#redactView(error);
      this.#redactInPlace(error, new Set());
      if (this.#revealsSecret(error) || this.#errorReveals(error) || this.#inspectReveals(error, 20))
        throw notRedactable();
      return error;
    } catch {
      // A frozen object or a proxy: replaced by an error with the redacted message.
      return new Error(this.redactText(messageOf(error) ?? "An error was thrown that cannot be shown."));
    }
  }

  /** Whether inherited properties of an error reveal a secret, such as a getter `message` of its class. */
  #errorReveals(error: object): boolean {
    const { message, stack, name, code } = error as { readonly [field: string]: unknown };
    return this.contains([message, stack, name, code, error instanceof Error ? String(error) : ""]);
  }

  /** Redacts every string of an object, and of the objects that it references. */
  #redactInPlace(value: object, seen: Set<object>): void {
    if (seen.has(value) || ArrayBuffer.isView(value)) return;
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
      if (!("value" in property)) {
        this.#replaceGetter(value, key, name, seen);
        continue;
      }
      const clean = this.#redactMember(property.value, seen);
      const isKept = name === key || Reflect.deleteProperty(value, key);
      const isSame = name === key && clean === property.value;
      if (!isKept || !(isSame || Reflect.set(value, name, clean))) throw notRedactable();
    }
  }

  /** Replaces a getter by its redacted value: it could return something else the next time. */
  #replaceGetter(value: object, key: string | symbol, name: string | symbol, seen: Set<object>): void {
    let returned: unknown = MASK;
    try {
      returned = Reflect.get(value, key);
    } catch {
      // The mask replaces a getter that throws.
    }
    const clean = {
      value: this.#redactMember(returned, seen),
      enumerable: Object.prototype.propertyIsEnumerable.call(value, key),
      writable: true,
      configurable: true,
    };
    if (!Reflect.deleteProperty(value, key) || !Reflect.defineProperty(value, name, clean))
      throw notRedactable();
  }

  #redactMember(value: unknown, seen: Set<object>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isSecretNumber(value)) return MASK;
    if (typeof value === "symbol" || typeof value === "function")
      return isProxy(value) || this.#inspectReveals(value, 0) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return this.#redactView(value);
    // What these reveal later cannot be known.
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
      if (this.contains(inspectOwn(value))) return true;
      const toJson: unknown = Reflect.get(value, "toJSON");
      return typeof toJson === "function" && this.contains(Reflect.apply(toJson, value, []));
    } catch {
      // What cannot be read is not passed on.
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

  /** The mask replaces a getter that throws. */
  #redactProperty(value: object, name: string, seen: Map<object, unknown>): unknown {
    try {
      return this.#redactValue(Reflect.get(value, name), seen);
    } catch {
      return MASK;
    }
  }

  #redactValue(value: unknown, seen: Map<object, unknown>): unknown {
    if (typeof value === "string") return this.redactText(value);
    if (value instanceof Secret || this.#isSecretNumber(value)) return MASK;
    if (typeof value === "symbol" || typeof value === "function")
      return isProxy(value) || this.#inspectReveals(value, 0) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      seen.set(value, copy);
      for (const item of value) copy.push(this.#redactValue(item, seen));
      return copy;
    }
    if (value instanceof Error) return this.redactError(value);
    if (ArrayBuffer.isView(value)) return this.#redactView(value);
    const copy: object = {};
    const isPlain = isPlainObject(value);
    if (!isPlain) {
      if (isProxy(value) || this.#revealsSecret(value)) return MASK;
      // An instance of a class is copied only if it contains a secret.
      if (!this.#containsDeep(value)) return this.#inspectReveals(value, 20) ? MASK : value;
      Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value));
    }
    seen.set(value, copy);
    for (const name of Object.keys(value)) {
      Object.defineProperty(copy, this.redactText(name), {
        value: this.#redactProperty(value, name, seen),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    if (!this.#revealsSecret(copy) && (isPlain || !this.#inspectReveals(copy, 20))) return copy;
    seen.set(value, MASK);
    seen.set(DROPPED, true);
    return MASK;
  }
}

/** The message of an error; undefined if it cannot be read. */
function messageOf(error: unknown): string | undefined {
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

/** Shorter values are redacted only where they are the whole text: "1" is part of many texts. */
const MIN_EMBEDDED_LENGTH = 6;

/** A value as it is, and as it stands in JSON, in a URL and in base64. */
function encodedForms(value: string): readonly string[] {
  const base64 = [textToBase64(value), ...base64Fragments(value)];
  const others = base64.flatMap((one) => [one, one.replace(/=+$/, ""), toBase64Url(one)]);
  return [...new Set([value, ...jsonForms(value), ...urlForms(value), ...others])];
}

/** Escaped once and twice; in ASCII or not, with lower or upper case hex digits, with the slash escaped or not. */
function jsonForms(value: string): readonly string[] {
  const once = [
    jsonEscape(value),
    toAsciiJson(value, codeUnit),
    toAsciiJson(value, (unit) => `\\u${codeUnit(unit).slice(2).toUpperCase()}`),
  ];
  const all = [...once, ...once.map(escapeSlashes)];
  const twice = all.map(jsonEscape);
  return [...all, ...twice, ...twice.map(escapeSlashes)];
}

const jsonEscape = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapeSlashes = (json: string): string => json.replaceAll("/", String.raw`\/`);

/** Keeps JSON's escapes of one letter, and formats other characters that are not printable ASCII as code units. */
const toAsciiJson = (value: string, spell: (unit: string) => string): string =>
  value.replaceAll(/[^ !#-[\]-~]/g, (unit) => {
    const json = jsonEscape(unit);
    return json.length === 2 ? json : spell(unit);
  });

const codeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The characters that are percent-encoded in the parts of a URL, by the URL Standard and by functions of JavaScript. */
const URL_ENCODE_SETS: readonly RegExp[] = [
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

/** With upper and lower case hex digits. Forms encode a space as "+". */
function urlForms(value: string): readonly string[] {
  const text = wellFormed(value);
  const urls = URL_ENCODE_SETS.map((encoded) => text.replaceAll(encoded, percentEncode));
  const all = [...urls, ...urls.slice(-2).map((one) => one.replaceAll("%20", "+"))];
  return [...all, ...all.map((one) => one.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()))];
}

const percentEncode = (character: string): string => {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
};

const toBase64Url = (base64: string): string =>
  base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** What base64 of a longer text contains of this one: three bytes become four characters, so there are three alignments. */
function base64Fragments(text: string): readonly string[] {
  const bytes = toUtf8Binary(text).length;
  const alignments = [0, 1, 2].map((before) =>
    textToBase64("\0".repeat(before) + text).slice(
      before === 0 ? 0 : before + 1,
      Math.floor(((before + bytes) * 4) / 3),
    ),
  );
  return alignments.filter((form) => form.length >= MIN_EMBEDDED_LENGTH);
}
