/**
 * The little that core takes from the platform it runs on.
 *
 * Core compiles without the types of Node or the DOM, so everything it needs
 * from outside the language stands here, and nothing else can slip in. All of
 * it exists in Node 20, in browsers, and in other web-standard runtimes.
 */

/** `AbortSignal` as the reader's own platform types it; enough of it where no platform is typed. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Native } }
  ? Native
  : BareSignal;

interface BareSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

interface Controller {
  readonly signal: Signal;
  abort(reason?: unknown): void;
}

declare const AbortController: new () => Controller;
declare function setTimeout(callback: () => void, milliseconds: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare function atob(base64: string): string;
declare function btoa(binary: string): string;
declare const crypto: { randomUUID(): string };

/** A signal and the switch for it. */
export const newController = (): Controller => new AbortController();

/** Calls back after a while; returns what stops it. */
export function startTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** Settles after everything that is ready now, and what that makes ready: a turn for timers and sockets. */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => {
    startTimer(0, resolve);
  });
}

/** A random UUID, version 4. In one piece: V8 would keep the twenty that Node puts it together from, 400 bytes more. */
export const newUuid = (): string => crypto.randomUUID().toLowerCase();

/** Bytes as base64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(toBinary(bytes));

/** As many as a function may be called with, on any platform. */
const MOST_ARGUMENTS = 8192;

/** Bytes as a text, of one character for each. */
export function toBinary(bytes: Uint8Array): string {
  let binary = "";
  for (let from = 0; from < bytes.length; from += MOST_ARGUMENTS)
    binary += String.fromCharCode(...bytes.subarray(from, from + MOST_ARGUMENTS));
  return binary;
}

export const fromBinary = (binary: string): Uint8Array =>
  Uint8Array.from(binary, (character) => character.charCodeAt(0));

/** The bytes that a base64 text stands for, or nothing where it is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return fromBinary(atob(text));
  } catch {
    return undefined;
  }
}

/** A text as base64 of its UTF-8 bytes. */
export const textToBase64 = (text: string): string => btoa(utf8(text));

/** The UTF-8 bytes of a text, as a text of one character for each. */
export function utf8(text: string): string {
  return encodeURIComponent(wellFormed(text)).replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A text without halves of characters, which UTF-8 does not know. */
export const wellFormed = (text: string): string =>
  text.replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");

/** Carries a value along with the code it was given to, over every `await`. */
export interface AsyncContext<Value> {
  run<T>(value: Value, act: () => T): T;
  getStore(): Value | undefined;
}

/** Node's `AsyncLocalStorage`; nothing elsewhere. */
export function newAsyncContext<Value>(): AsyncContext<Value> | undefined {
  // What Node documents of it.
  const hooks = builtin("node:async_hooks") as
    | { AsyncLocalStorage: new () => AsyncContext<Value> }
    | undefined;
  return hooks && new hooks.AsyncLocalStorage();
}

/** By what Node finds out how something wants to be printed. */
const PRINTING = Symbol.for("nodejs.util.inspect.custom");

interface Utilities {
  inspect(value: unknown, options: object): string;
  readonly types: { isProxy(value: unknown): boolean };
}

const ESCAPED: { readonly [letter: string]: string | undefined } = { n: "\n", r: "\r", t: "\t" };

/** How something prints itself in its own way, in full and with nothing escaped; nothing where it has none, or nobody here prints. */
export function inspectOwn(value: object): string {
  if (typeof Reflect.get(value, PRINTING) !== "function") return "";
  return printed(value, 4);
}

/** How something prints, with nothing escaped: so many levels of it, what is hidden, and what its getters return. Nothing where nobody prints. */
export function printed(value: unknown, depth: number): string {
  // What Node documents of it.
  const utilities = builtin("node:util") as Utilities | undefined;
  const whole = { depth, maxStringLength: null, maxArrayLength: null, breakLength: Infinity };
  const text = utilities?.inspect(value, { ...whole, showHidden: true, getters: true }) ?? "";
  return text.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}

/** Whether something is a proxy, which may say something else each time it is read. Only Node can tell. */
export function isProxy(value: unknown): boolean {
  const utilities = builtin("node:util") as Utilities | undefined;
  return utilities?.types.isProxy(value) === true;
}

/** A module that Node has built in; nothing elsewhere. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name);
}

/** Goes on with what is there: at once, or when it is. Nobody waits a turn for what was there already. */
export function mapMaybeAsync<Value, Next>(
  value: Value | Promise<Value>,
  goOn: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Tells somebody who watches, and waits where they want that. Whoever watches may have a problem; the tool has none. */
export function notifySafely(
  tell: () => void | Promise<void>,
  report: (error: unknown) => void,
): Promise<void> | undefined {
  try {
    const telling = tell();
    return telling === undefined ? undefined : heard(telling, report);
  } catch (error) {
    report(error);
    return undefined;
  }
}

async function heard(telling: Promise<void>, report: (error: unknown) => void): Promise<void> {
  try {
    await telling;
  } catch (error) {
    report(error);
  }
}
