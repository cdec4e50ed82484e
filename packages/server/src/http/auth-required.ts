import { PhotonError } from "@photon/core";

/** A server was to be reached from other machines, and nothing says who may call it. */
export class AuthRequired extends PhotonError {
  override readonly name = "AuthRequired";
  readonly code = "AUTH_REQUIRED";

  constructor(host: string) {
    super(
      `${host} is reached from other machines: say who may call this server (tokens, authenticate), or that anybody may (noAuth).`,
    );
  }
}
