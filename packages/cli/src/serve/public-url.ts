import { UsageError } from "../errors.ts";

/** The address that was given, and the name in it; refused where no link could begin with it. */
export function readPublicUrl(text: string): { readonly publicUrl: string; readonly host: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash === "";
  if (!isBase || url.username + url.password !== "")
    throw new UsageError(
      `--public-url is an address like https://photon.example.com/tools, not ${JSON.stringify(text)}.`,
    );
  return { publicUrl: url.href.replace(/\/+$/, ""), host: url.hostname };
}
