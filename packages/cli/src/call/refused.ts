/** A server refused a connection with this HTTP status. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;

  constructor(status: number) {
    super(`The server refused the connection (HTTP ${status}).`);
    this.status = status;
  }
}
