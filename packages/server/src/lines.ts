/** The lines to clients that are open, whatever is spoken on them; and those that are not, whose calls have not ended yet. */
import { Connection } from "./connection.ts";
import type { Account } from "./accounts.ts";
import type { House } from "./house.ts";
import type { RequestId } from "./jsonrpc/messages.ts";
import type { Exchange, Line, Open, Peer, Returning } from "./rpc/peer.ts";
import { readPassport } from "./sessions/passport.ts";
import type { Reopened } from "./sessions/session.ts";
import { isOver } from "./durable/cancelled-calls.ts";

export class Lines {
  readonly #house: House;
  readonly #exchange: Exchange;
  readonly #open = new Map<Connection, Account>();
  /** Of those whose clients have gone, and whose bodies have not ended yet. */
  readonly #ending = new Set<Promise<void>>();

  constructor(house: House, exchange: Exchange) {
    this.#house = house;
    this.#exchange = exchange;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens one; `reopened` is what it was begun with in another process, if it was. */
  open(peer: Peer, reopened?: Reopened): Line {
    const account = peer.account ?? this.#house.accounts.of(peer.principal ?? "");
    const refusal = account.openSession();
    if (refusal !== undefined) throw refusal.error;
    const connection = new Connection(peer, account, this.#house, this.#exchange, reopened);
    this.#open.set(connection, account);
    return new OpenLine(connection, this);
  }

  /** What opens a session that was begun in another process, by its passport; nothing, where there is none, or it is not theirs. */
  async reopen(text: string, principal: string): Promise<Open | undefined> {
    const { runs, sealer } = this.#house;
    if (runs === undefined) return undefined;
    const passport = readPassport(text, principal, sealer, runs.now());
    if (passport === undefined || (await isOver(passport.id, runs))) return undefined;
    return (peer) => this.open(peer, { text, passport, runs });
  }

  disconnect(runId: string): void {
    for (const connection of this.#open.keys()) connection.disconnect(runId);
  }

  /** A client has hung up; settles when what it had under way has ended. */
  closed(connection: Connection, closing: Promise<void>): Promise<void> {
    this.#forget(connection);
    const ending = closing.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  /** Hangs up on everybody, and waits until everything has ended. */
  async close(): Promise<void> {
    const open = [...this.#open.keys()];
    await Promise.all(open.map((connection) => connection.hangUp()));
    for (const connection of open) this.#forget(connection);
    await Promise.all(this.#ending);
  }

  #forget(connection: Connection): void {
    this.#open.get(connection)?.closeSession();
    this.#open.delete(connection);
  }
}

/** A line, as its transport sees it. */
class OpenLine implements Line {
  readonly #connection: Connection;
  readonly #lines: Lines;

  constructor(connection: Connection, lines: Lines) {
    this.#connection = connection;
    this.#lines = lines;
  }

  get passport(): string | undefined {
    return this.#connection.passport;
  }

  receive(message: unknown, bytes?: number): void {
    this.#connection.receive(message, bytes);
  }

  passOn(message: unknown): Promise<void> | undefined {
    return this.#connection.passOn(message);
  }

  comeBack(stream: string, returning: Returning): Promise<boolean> {
    return this.#connection.comeBack(stream, returning);
  }

  resumed(stream: string): void {
    this.#connection.resumed(stream);
  }

  disconnected(about: RequestId): void {
    this.#connection.disconnected(about);
  }

  close(): Promise<void> {
    return this.#lines.closed(this.#connection, this.#connection.close());
  }

  noteEnd(): Promise<void> {
    return this.#connection.noteEnd();
  }

  end(): Promise<void> {
    return this.#lines.closed(this.#connection, this.#connection.end());
  }
}
