/** Who may call a server, from what its flags say. Pure. */
import { isLoopback } from "@photon/server";
import { UsageError } from "../errors.ts";

export interface Access {
  /** The bearer tokens, by the names of those who have them; without any, nobody is asked for one. */
  readonly tokens?: { readonly [name: string]: string };
  readonly noAuth: boolean;
}

/** Refuses to listen where other machines reach the tools, unless it was said who may. */
export function accessTo(host: string, given: readonly string[], noAuth: boolean): Access {
  if (given.length > 0) {
    if (!noAuth) return { tokens: tokensIn(given), noAuth };
    throw new UsageError(
      "--no-auth lets in everybody, and --auth-token (or PHOTON_TOKEN) only who bears a token; give one of the two.",
    );
  }
  if (noAuth || isLoopback(host)) return { noAuth };
  throw new UsageError(
    `--host ${host} is reached from other machines: say who may call with --auth-token name:token, or let in everybody with --no-auth.`,
  );
}

/** By name; one without a name is called "token". What is wrong with one is told by its name, never by itself. */
function tokensIn(given: readonly string[]): { readonly [name: string]: string } {
  const tokens = new Map<string, string>();
  for (const text of given) {
    const [, name = "token", token = ""] = /^(?:([^:]*):)?([^]*)$/.exec(text) ?? [];
    const shown = JSON.stringify(name);
    if (name === "") throw new UsageError("A token of --auth-token has no name: --auth-token name:token.");
    if (tokens.has(name)) throw new UsageError(`Two tokens are called ${shown}; give each its own name.`);
    if (!/^[\x21-\x7e]{16,}$/.test(token))
      throw new UsageError(
        `The token called ${shown} needs 16 characters or more, and none but those of ASCII; make one with: openssl rand -base64 24`,
      );
    tokens.set(name, token);
  }
  return Object.fromEntries(tokens);
}
