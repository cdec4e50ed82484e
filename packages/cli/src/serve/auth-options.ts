/** Who may call a server, and which pages it can offer, from its flags. Pure. */
import { isLoopback } from "@photon/server";
import { UsageError } from "../errors.ts";
import type { Transports } from "./transports.ts";

export interface AuthOptions {
  /** The bearer tokens, by name. Without it, the server requires no token. */
  readonly tokens?: { readonly [name: string]: string };
  readonly noAuth: boolean;
}

/** Refuses an address that other machines reach, unless a token or `--no-auth` is given. */
export function parseAuth(host: string, tokens: readonly string[], noAuth: boolean): AuthOptions {
  if (tokens.length > 0) {
    if (!noAuth) return { tokens: parseTokens(tokens), noAuth };
    throw new UsageError(
      "--no-auth allows unauthenticated access, and --auth-token (or PHOTON_TOKEN) requires a token; give only one of them.",
    );
  }
  if (noAuth || isLoopback(host)) return { noAuth };
  throw new UsageError(
    `Other machines can reach --host ${host}: require a token with --auth-token name:token, or allow unauthenticated access with --no-auth.`,
  );
}

/** By name; a token without a name is called "token". Errors name the token and never contain it. */
function parseTokens(texts: readonly string[]): { readonly [name: string]: string } {
  const tokens = new Map<string, string>();
  for (const text of texts) {
    const [, name = "token", token = ""] = /^(?:([^:]*):)?([^]*)$/.exec(text) ?? [];
    const shown = JSON.stringify(name);
    if (name === "")
      throw new UsageError("--auth-token has a token without a name: --auth-token name:token.");
    if (tokens.has(name)) throw new UsageError(`Two tokens have the name ${shown}; give each its own name.`);
    if (!/^[\x21-\x7e]{16,}$/.test(token))
      throw new UsageError(
        `The token ${shown} needs at least 16 characters, all of them ASCII; make one with: openssl rand -base64 24`,
      );
    tokens.set(name, token);
  }
  return Object.fromEntries(tokens);
}

/** The address in `--public-url`, and its host name. */
export function parsePublicUrl(text: string): { readonly publicUrl: string; readonly host: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash === "";
  if (!isBase || url.username + url.password !== "")
    throw new UsageError(
      `--public-url is an address like https://photon.example.com/tools, not ${JSON.stringify(text)}.`,
    );
  return { publicUrl: url.href.replace(/\/+$/, ""), host: url.hostname };
}

interface AccessOptions {
  readonly host: string;
  readonly auth: AuthOptions;
  readonly settings: { readonly publicUrl?: string };
}

/** Why the server cannot offer pages: a user on another machine opens a page with a token. */
export function pagesUnavailableReason({
  host,
  auth,
  settings: { publicUrl },
}: AccessOptions): string | undefined {
  if (auth.tokens !== undefined) return undefined;
  if (publicUrl !== undefined && isRemote(publicUrl))
    return "Pages at the --public-url are opened with a token, and none is configured";
  return isLoopback(host)
    ? undefined
    : "Pages are opened with a token where other machines can reach the --host, and none is configured";
}

/** The caller that the client at stdin is: `--principal`, or the name of the only token. */
export function stdioPrincipal(
  given: string | undefined,
  { transports, auth, settings }: Omit<AccessOptions, "host"> & { readonly transports: Transports },
): string | undefined {
  if (!transports.stdio) {
    if (given === undefined) return undefined;
    throw new UsageError("--principal is for stdio; the token identifies the callers of other transports.");
  }
  const names = Object.keys(auth.tokens ?? {});
  if (given !== undefined) {
    if (names.length === 0 || names.includes(given)) return given;
    throw new UsageError(
      `--principal is the name of a token (${names.join(", ")}), not ${JSON.stringify(given)}.`,
    );
  }
  if (names.length > 1 && settings.publicUrl !== undefined && isRemote(settings.publicUrl))
    throw new UsageError(
      `Pages at the --public-url are opened with a token: choose the token of the client at stdin with --principal (${names.join(", ")}).`,
    );
  return names.length === 1 ? names[0] : undefined;
}

/** Whether an address is on another machine, or goes through one. */
const isRemote = (publicUrl: string): boolean => !isLoopback(new URL(publicUrl).hostname);
