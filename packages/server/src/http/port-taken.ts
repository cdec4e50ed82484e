import { PhotonError } from "@photon/core";

/** Somebody else listens on the port that a server was given. */
export class PortTaken extends PhotonError {
  override readonly name = "PortTaken";
  readonly code = "PORT_TAKEN";

  constructor(port: number, host: string) {
    super(
      `Port ${port} of ${host} is taken; stop what listens there, or give another port (0: any that is free).`,
    );
  }
}
