/** A connection of one client, not yet made; `Transport` is the one of the client's SDK. */
export interface Dialled<Transport> {
  readonly transport: Transport;
  /** Settles, once connected, when the server has a way to speak unasked. */
  ready?(): Promise<void>;
  /** Ends the session, as a client does that is done. */
  leave(): Promise<void>;
  /** Is gone, without a word to the server. */
  vanish(): Promise<void>;
}
