/** What a page has around it, as far as it is needed here: a browser's, or what a test puts in its place. */
export interface Surroundings {
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  readonly openSocket: (address: string, protocol: string) => Socket;
  readonly storage: TabStorage;
  readonly clock: Clock;
  /** Calls back before the page is painted next. */
  readonly onFrame: (callback: () => void) => void;
}

/** As much of a WebSocket as is used. */
interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly reason: string }) => void): void;
  addEventListener(type: "error", listener: () => void): void;
}

/** As much of a Storage as is used. */
export interface TabStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after so many milliseconds; returns what stops it. */
  after(milliseconds: number, callback: () => void): () => void;
}
