import { PhotonError } from "@photon/core";

/** What a store has of a run was sealed with keys that are not here, or was changed. */
export class RecordsUnreadable extends PhotonError {
  override readonly name = "RecordsUnreadable";
  readonly code = "RECORDS_UNREADABLE";

  constructor(run: string) {
    super(
      `What the store has of the run ${run} does not open: it was sealed with other keys, or changed. Every process that shares a store needs the keys that any of them seals with (PHOTON_KEYS).`,
    );
  }
}
