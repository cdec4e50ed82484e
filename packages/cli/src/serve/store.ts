/** `--store` and PHOTON_KEYS: the store of a command, and the keys that decrypt its content. */
import { resolve } from "node:path";
import { openStore, parseKeys, sqliteFileOf, type Store } from "@photon/server";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";

export interface OpenedStore {
  readonly store: Store;
  readonly keys: readonly string[];
}

export async function openStoreWithKeys(
  address: string,
  { env, cwd }: Pick<CommandIO, "env" | "cwd">,
): Promise<OpenedStore> {
  const keys = parseKeys(env["PHOTON_KEYS"]);
  if (keys.length === 0)
    throw new UsageError(
      "--store needs PHOTON_KEYS, which encrypt its content; make a key with: openssl rand -base64 32",
    );
  return { store: await openStore(absoluteStore(address, cwd)), keys };
}

/** The address of the same store from any folder. */
export function absoluteStore(address: string, cwd: string): string {
  const path = sqliteFileOf(address);
  return path === undefined ? address : `sqlite:${resolve(cwd, path)}`;
}
