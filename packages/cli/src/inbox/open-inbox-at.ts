import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openInbox, type Inbox } from "@photon/server";
import { fileOf, openKept } from "../serve/store.ts";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";

/** Opens the inbox of a store that is there: one that is made by looking into it would only look empty. */
export async function openInboxAt(
  address: string,
  io: Pick<CommandIO, "env" | "cwd">,
): Promise<{ readonly inbox: Inbox; close(): Promise<void> }> {
  const file = fileOf(address);
  if (file !== undefined && !existsSync(resolve(io.cwd, file)))
    throw new UsageError(`There is no store at ${file}; photon serve --store sqlite:${file} makes one.`);
  const kept = await openKept(address, io);
  return { inbox: openInbox(kept), close: () => kept.store.close() };
}
