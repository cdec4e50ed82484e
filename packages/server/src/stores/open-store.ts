/** Opens the store at an address. The driver of a store is loaded only when such a store is opened. */
import { InvalidDefinition } from "@photon/core";
import { memoryStore } from "./memory-store.ts";
import { StoreDriverMissing } from "../errors.ts";
import type { Store } from "./store.ts";

/** The path may begin with `//` only before an absolute path, and is not SQLite's name of a database in memory. */
const SQLITE_ADDRESS = /^sqlite:(?:\/\/(?=\/))?((?!\/\/|:memory:).+)$/s;

/** The path in an address such as `sqlite:photon.db`; undefined for the other stores. */
export const sqliteFileOf = (address: string): string | undefined => SQLITE_ADDRESS.exec(address)?.[1];

/**
 *   sqlite:photon.db, sqlite:/var/lib/photon.db    a file, for the processes of one machine
 *   redis://user:password@host:6379/0, rediss://…  a Redis or a Valkey, for the processes of many machines
 *   memory:                                        the memory of this process
 */
export async function openStore(address: string): Promise<Store> {
  const [, kind, rest = ""] = /^([a-z]+):(.*)$/s.exec(address) ?? [];
  if (kind === "memory" && rest === "") return memoryStore();
  const path = sqliteFileOf(address);
  if (path !== undefined) {
    const { openSqlite } = await load("SQLite", "libsql", () => import("./sqlite/store.ts"));
    return openSqlite(path);
  }
  if ((kind === "redis" || kind === "rediss") && rest.startsWith("//")) {
    const { openRedis } = await load("Redis", "ioredis", () => import("./redis/store.ts"));
    return openRedis(address);
  }
  // The address is not in the message: it may contain a password.
  throw new InvalidDefinition(
    "The address of a store must be sqlite:<file>, redis://<host>, rediss://<host> or memory:.",
  );
}

async function load<Module>(
  kind: string,
  driver: string,
  importModule: () => Promise<Module>,
): Promise<Module> {
  try {
    return await importModule();
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      "code" in cause &&
      (cause.code === "ERR_MODULE_NOT_FOUND" || cause.code === "MODULE_NOT_FOUND") &&
      cause.message.includes(driver);
    throw isMissing ? new StoreDriverMissing(kind, driver, { cause }) : cause;
  }
}
