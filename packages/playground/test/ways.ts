/** Every way to the server, in every revision: what holds for all of them is told once. */
import { describe } from "vitest";
import type { Revision, Settings, Way } from "../src/desk/connection.ts";

const revisions: readonly Revision[] = ["2026-07-28", "2025-11-25"];
const ways: readonly Way[] = ["websocket", "http"];

export type How = Pick<Settings, "revision" | "way">;

export function onEveryWay(stories: (how: How) => void, only: readonly Revision[] = revisions): void {
  for (const revision of only)
    for (const way of ways)
      describe(`${revision} over ${way}`, () => {
        stories({ revision, way });
      });
}
