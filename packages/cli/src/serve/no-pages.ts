/** Why a server that was told so much could give nobody a page: whoever opens one elsewhere says who they are. Pure. */
import { isLoopback } from "@photon/server";
import type { Access } from "./access.ts";

interface Serving {
  readonly host: string;
  readonly access: Access;
  readonly settings: { readonly publicUrl?: string };
}

export function whyNoPages({ host, access, settings: { publicUrl } }: Serving): string | undefined {
  if (access.tokens !== undefined) return undefined;
  if (publicUrl !== undefined && isElsewhere(publicUrl))
    return "Pages at the --public-url are opened with a token, and there is none";
  return isLoopback(host)
    ? undefined
    : "Pages are opened with a token where other machines reach the --host, and there is none";
}

/** Whether an address leads to another machine, or through one. */
export const isElsewhere = (publicUrl: string): boolean => !isLoopback(new URL(publicUrl).hostname);
