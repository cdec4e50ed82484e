import { PhotonError } from "@photon/core";

/** WebSocket upgrades at a path of an HTTP server are taken already. */
export class PathTaken extends PhotonError {
  override readonly name = "PathTaken";
  readonly code = "PATH_TAKEN";

  constructor(path: string) {
    super(`The upgrades at ${path} of this HTTP server are taken already; attach at another path.`);
  }
}
