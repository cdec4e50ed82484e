import type { AskOptions } from "@photon/core";

/** How every question of the pack is asked. */
export type Manner = Pick<AskOptions<never>, "timeout" | "retries">;
