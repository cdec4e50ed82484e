/** One message as it went over the wire. */
export interface Exchange {
  readonly id: number;
  readonly at: number;
  readonly from: "page" | "server";
  /** The JSON, as it was sent, with a long one cut: see `size`. Tokens are in headers, and so not in here. */
  readonly text: string;
  /** How many characters it had. */
  readonly size: number;
  /** The method, or what it answers. */
  readonly title: string;
  readonly kind: "request" | "notification" | "response" | "error";
  /** How it went: a frame, or a line such as `POST /mcp` or `event: message`. */
  readonly by: string;
  /** The run that it belongs to, where it is known. */
  readonly runId?: string;
}
