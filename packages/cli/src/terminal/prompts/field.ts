import type { Check, Scene } from "../scene.ts";

/** Something to be filled in: where, what fits, and whether it may stay empty. */
export interface Field {
  readonly scene: Scene;
  readonly check: Check;
  readonly isOptional: boolean;
}
