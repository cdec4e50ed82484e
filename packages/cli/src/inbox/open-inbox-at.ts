import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openInbox, type Inbox } from "@photon/server";
import { fileOf, openKept } from "../serve/store.ts";
import { UsageError } from "../usage-error.ts";
import type { World } from "../world.ts";

/** Opens the inbox of a store that is there: one that is made by looking into it would only look empty. */
export async function openInboxAt(
  address: string,
  world: Pick<World, "env" | "cwd">,
): Promise<{ readonly inbox: Inbox; close(): Promise<void> }> {
  const file = fileOf(address);
  if (file !== undefined && !existsSync(resolve(world.cwd, file)))
    throw new UsageError(`There is no store at ${file}; photon serve --store sqlite:${file} makes one.`);
  const kept = await openKept(address, world);
  return { inbox: openInbox(kept), close: () => kept.store.close() };
}
