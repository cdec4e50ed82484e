/** Where a Redis is, and how it is spoken to, as an address says it. */
import { readFileSync } from "node:fs";
import { InvalidDefinition } from "@photon/core";

export interface RedisAddress {
  /** Where it is, without a password. */
  readonly name: string;
  /** What every key and channel begins with. */
  readonly prefix: string;
  /** By what it is reached. */
  readonly way: RedisWay;
}

interface RedisWay {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  readonly tls?: { readonly ca?: string };
}

const OPTIONS = new Set(["prefix", "ca"]);

/** `redis://user:password@host:6379/0?prefix=photon:`, or `rediss://…?ca=/etc/ssl/redis.pem` over TLS. */
export function readRedisAddress(address: string): RedisAddress {
  const url = readUrl(address);
  const { protocol, host, hostname, port, searchParams } = url;
  const db = Number(url.pathname.slice(1));
  return {
    name: `${protocol}//${host}/${db}`,
    prefix: searchParams.get("prefix") ?? "photon:",
    way: {
      // An address of IPv6 stands in brackets.
      host: hostname.replaceAll(/^\[|\]$/g, ""),
      port: port === "" ? 6379 : Number(port),
      ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
      ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
      db,
      ...(protocol === "rediss:" ? { tls: trust(searchParams.get("ca")) } : {}),
    },
  };
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isUnderstood =
    url !== undefined &&
    url.hostname !== "" &&
    /^\/?\d*$/.test(url.pathname) &&
    [url.username, url.password].every(isSpelled) &&
    [...url.searchParams.keys()].every((key) => OPTIONS.has(key));
  if (isUnderstood) return url;
  // Not with what was given: there may be a password in it.
  throw new InvalidDefinition(
    "The address of a Redis is redis://<user>:<password>@<host>:<port>/<number>, or rediss:// over TLS, with ?prefix= and ?ca= behind it.",
  );
}

/** Whether every % stands for what is no sign of an address. */
function isSpelled(word: string): boolean {
  try {
    decodeURIComponent(word);
    return true;
  } catch {
    return false;
  }
}

/** Whom to trust besides those whom everybody trusts. */
function trust(ca: string | null): { readonly ca?: string } {
  if (ca === null) return {};
  try {
    return { ca: readFileSync(ca, "utf8") };
  } catch (cause) {
    throw new InvalidDefinition(`The file ${ca}, by which a Redis is trusted, cannot be read.`, { cause });
  }
}
