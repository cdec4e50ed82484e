import { PhotonError } from "@photon/core";

/**
 * A store could not do what was asked of it.
 *
 * Where the answer is what got lost, it may have been done all the same: whoever appended reads the log before they go on.
 */
export class StoreUnavailable extends PhotonError {
  override readonly name = "StoreUnavailable";
  readonly code = "STORE_UNAVAILABLE";

  /** `store` is where it is, without a password. */
  constructor(store: string, problem: string, options?: ErrorOptions) {
    super(`The store ${store} cannot be used: ${problem}.`, options);
  }
}
