/**
 * The functions of the platform that core uses: timers, AbortController, base64, UUIDs, and some of Node if it runs there.
 *
 * Core compiles without the types of Node or the DOM, so it can use nothing of a platform except what is declared here. All of
 * it exists in Node 20, in browsers, and in other web-standard runtimes.
 */

/** `AbortSignal` as the author's platform types it; without such types, the part that Photon uses. */
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
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const crypto: { randomUUID(): string };

export const createAbortController = (): Controller => new AbortController();

/** Calls back once; returns a function that stops the timer. */
export function startTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** Calls back after the event loop has polled for I/O. Not a timer on Node: due timers run before sockets. */
export function afterIo(callback: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) startTimer(0, callback);
  else setImmediate(callback);
}

/** Resolves in a later turn of the event loop: timers and sockets get their turn first. */
export const nextMacrotask = (): Promise<void> => new Promise(afterIo);

/** `toLowerCase` flattens the string: Node concatenates it of twenty parts, which V8 would retain (400 bytes). */
export const randomUuid = (): string => crypto.randomUUID().toLowerCase();

export const toBase64 = (bytes: Uint8Array): string => btoa(toBinary(bytes));

/** How many arguments a function can take on any platform. */
const MAX_ARGUMENTS = 8192;

/** A string with one character per byte. */
export function toBinary(bytes: Uint8Array): string {
  let binary = "";
  for (let from = 0; from < bytes.length; from += MAX_ARGUMENTS)
    binary += String.fromCharCode(...bytes.subarray(from, from + MAX_ARGUMENTS));
  return binary;
}

export const fromBinary = (binary: string): Uint8Array =>
  Uint8Array.from(binary, (character) => character.charCodeAt(0));

/** Undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return fromBinary(atob(text));
  } catch {
    return undefined;
  }
}

/** Base64 of the UTF-8 bytes of a text. */
export const textToBase64 = (text: string): string => btoa(toUtf8Binary(text));

/** The UTF-8 bytes of a text, as a string with one character per byte. */
export const toUtf8Binary = (text: string): string => toBinary(new TextEncoder().encode(text));

/** Replaces lone surrogates, which UTF-8 cannot encode. */
export const wellFormed = (text: string): string =>
  text.replaceAll(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");

export interface AsyncContext<Value> {
  run<T>(value: Value, act: () => T): T;
  getStore(): Value | undefined;
}

/** Node's `AsyncLocalStorage`; undefined elsewhere. */
export function createAsyncContext<Value>(): AsyncContext<Value> | undefined {
  const hooks = nodeBuiltin("node:async_hooks") as
    | { AsyncLocalStorage: new () => AsyncContext<Value> }
    | undefined;
  return hooks && new hooks.AsyncLocalStorage();
}

/** The method by which a class customises `util.inspect`. */
export const INSPECT_SYMBOL: unique symbol = Symbol.for("nodejs.util.inspect.custom");

interface NodeUtil {
  inspect(value: unknown, options: object): string;
  readonly types: { isProxy(value: unknown): boolean };
}

const ESCAPED: { readonly [letter: string]: string | undefined } = { n: "\n", r: "\r", t: "\t" };

/** The text of `util.inspect`, unescaped, with hidden properties and the values of getters; empty if not on Node. */
export function inspect(value: unknown, depth: number): string {
  const utilities = nodeBuiltin("node:util") as NodeUtil | undefined;
  const whole = { depth, maxStringLength: null, maxArrayLength: null, breakLength: Infinity };
  const text = utilities?.inspect(value, { ...whole, showHidden: true, getters: true }) ?? "";
  return text.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}

/** Whether a value is a proxy, which may return something else at each read. False if not on Node. */
export function isProxy(value: unknown): boolean {
  const utilities = nodeBuiltin("node:util") as NodeUtil | undefined;
  return utilities?.types.isProxy(value) === true;
}

/** A built-in module of Node; undefined elsewhere. */
export function nodeBuiltin(name: string): unknown {
  const { process } = globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name);
}

/** Calls `map` synchronously with a value, or when the promise resolves: no microtask for a value that is available. */
export function mapMaybeAsync<Value, Next>(
  value: Value | Promise<Value>,
  map: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(map) : map(value);
}
