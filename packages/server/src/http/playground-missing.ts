import { PhotonError } from "@photon/core";

/** A server was told to serve the playground, and it is not there. */
export class PlaygroundMissing extends PhotonError {
  override readonly name = "PlaygroundMissing";
  readonly code = "PLAYGROUND_MISSING";

  constructor(what: string, options?: ErrorOptions) {
    super(`The playground cannot be served: ${what}.`, options);
  }
}
