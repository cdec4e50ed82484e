import { earliest } from "../expiry.ts";
import type { OpenRound } from "./records.ts";

/** When the first of its questions has waited long enough. What stands in no log cannot be told so. */
export function dueOf({
  round,
  isApart,
  gone,
}: Pick<OpenRound, "round" | "isApart" | "gone">): number | undefined {
  if (isApart === true) return undefined;
  const waiting = Object.values(round).filter(({ key }) => gone?.includes(key) !== true);
  return earliest(waiting.flatMap(({ deadline }) => deadline ?? []));
}
