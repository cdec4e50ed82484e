import { PhotonError } from "@photon/core";

/** The package that a kind of store is made with is not installed. */
export class StoreMissing extends PhotonError {
  override readonly name = "StoreMissing";
  readonly code = "STORE_MISSING";

  constructor(kind: string, name: string, options?: ErrorOptions) {
    super(`A store in ${kind} needs the package ${name}: npm install ${name}`, options);
  }
}
