/** Who the client at stdin is: whoever started the server, by the name that their token has. Pure. */
import { UsageError } from "../errors.ts";
import { isElsewhere } from "./no-pages.ts";
import type { ServeOptions } from "./serve-tools.ts";

type Serving = Pick<ServeOptions, "transports" | "access"> & {
  readonly settings: Pick<ServeOptions["settings"], "publicUrl">;
};

/** Refused where their pages could be opened by nobody. */
export function principalAtStdin(given: string | undefined, serving: Serving): string | undefined {
  const { transports, access, settings } = serving;
  if (!transports.stdio) {
    if (given === undefined) return undefined;
    throw new UsageError("--principal is for stdio; others are known by their tokens.");
  }
  const names = Object.keys(access.tokens ?? {});
  if (given !== undefined) {
    if (names.length === 0 || names.includes(given)) return given;
    throw new UsageError(
      `--principal is the name of a token (${names.join(", ")}), not ${JSON.stringify(given)}.`,
    );
  }
  if (names.length > 1 && settings.publicUrl !== undefined && isElsewhere(settings.publicUrl))
    throw new UsageError(
      `Pages at the --public-url are opened with a token: say whose those of the client at stdin are with --principal (${names.join(", ")}).`,
    );
  return names.length === 1 ? names[0] : undefined;
}
