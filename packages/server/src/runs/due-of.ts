import type { OpenQuestion } from "@photon/core";
import { earliest } from "../expiry.ts";
import type { OpenRound } from "./records.ts";

type Open = Pick<OpenRound, "round" | "isApart" | "gone">;

/** When the first of its questions has waited long enough. */
export function dueOf(open: Open): number | undefined {
  return earliest(tellable(open).flatMap(({ deadline }) => deadline ?? []));
}

/** The questions that can be told that they have waited long enough: what stands in no log cannot. */
export function tellable({ round, isApart, gone }: Open): readonly OpenQuestion[] {
  if (isApart === true) return [];
  return Object.values(round).filter(({ key }) => gone?.includes(key) !== true);
}
