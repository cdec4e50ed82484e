/** The store that a command was told of, and the keys that open what is in it. */
import { resolve } from "node:path";
import { openStore, type Store } from "@photon/server";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";

export interface Kept {
  readonly store: Store;
  readonly keys: readonly string[];
}

/** Opens it. Without keys nothing is opened: what is in a store is sealed with them. */
export async function openKept(address: string, { env, cwd }: Pick<CommandIO, "env" | "cwd">): Promise<Kept> {
  const keys = (env["PHOTON_KEYS"] ?? "")
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
  if (keys.length === 0)
    throw new UsageError(
      "--store needs PHOTON_KEYS, which seal what is kept there; make one with: openssl rand -base64 32",
    );
  return { store: await openStore(absoluteStore(address, cwd)), keys };
}

/** The same store, from whatever folder it is opened. */
export function absoluteStore(address: string, cwd: string): string {
  const path = fileOf(address);
  return path === undefined ? address : `sqlite:${resolve(cwd, path)}`;
}

/** The file of a store that is one. What SQLite takes for memory is for the server to refuse. */
export function fileOf(address: string): string | undefined {
  const [, path] = /^sqlite:(?:\/\/(?=\/))?((?!\/\/|:memory:).+)$/s.exec(address) ?? [];
  return path;
}
