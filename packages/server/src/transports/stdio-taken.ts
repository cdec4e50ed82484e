import { PhotonError } from "@photon/core";

/** A process was told to serve a second client at stdin and stdout while the first is there. */
export class StdioTaken extends PhotonError {
  override readonly name = "StdioTaken";
  readonly code = "STDIO_TAKEN";

  constructor() {
    super(
      "This process serves a client at stdin and stdout already, and has no others; wait until it has gone.",
    );
  }
}
