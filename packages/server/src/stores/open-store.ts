/** Opens the store at an address. What a kind is made with is loaded only where it is asked for. */
import { InvalidDefinition } from "@photon/core";
import { memoryStore } from "./memory-store.ts";
import { StoreDriverMissing } from "../errors.ts";
import type { Store } from "./store.ts";

/** A path, also as in an address that has two slashes before it; not a host, and not what SQLite takes for memory. */
const FILE = /^(?:\/\/(?=\/))?((?!\/\/|:memory:).+)$/s;

/**
 *   sqlite:photon.db, sqlite:/var/lib/photon.db    a file, for the processes of one machine
 *   redis://user:password@host:6379/0, rediss://…  a Redis or a Valkey, for those of many
 *   memory:                                        this process alone
 */
export async function openStore(address: string): Promise<Store> {
  const [, kind, rest = ""] = /^([a-z]+):(.*)$/s.exec(address) ?? [];
  if (kind === "memory" && rest === "") return memoryStore();
  const [, path = ""] = FILE.exec(rest) ?? [];
  if (kind === "sqlite" && path !== "") {
    const { openSqlite } = await load("SQLite", "libsql", () => import("./sqlite/store.ts"));
    return openSqlite(path);
  }
  if ((kind === "redis" || kind === "rediss") && rest.startsWith("//")) {
    const { openRedis } = await load("Redis", "ioredis", () => import("./redis/store.ts"));
    return openRedis(address);
  }
  // Not with what was given: there may be a password in it.
  throw new InvalidDefinition(
    "A store is at sqlite:<file>, redis://<host>, rediss://<host> or memory:, and the address that is given is none of these.",
  );
}

async function load<Module>(kind: string, name: string, imported: () => Promise<Module>): Promise<Module> {
  try {
    return await imported();
  } catch (cause) {
    throw isMissing(cause, name) ? new StoreDriverMissing(kind, name, { cause }) : cause;
  }
}

function isMissing(cause: unknown, name: string): boolean {
  if (!(cause instanceof Error && "code" in cause && cause.message.includes(name))) return false;
  return cause.code === "ERR_MODULE_NOT_FOUND" || cause.code === "MODULE_NOT_FOUND";
}
