import type { Settings } from "../settings.ts";

/** Why the store of a server is not used right now, if there is one. */
export async function whyUnreached({
  store,
  report,
}: Pick<Settings, "store" | "report">): Promise<string | undefined> {
  try {
    await store?.ping();
    return undefined;
  } catch (error) {
    report(error);
    return "Its store cannot be reached.";
  }
}
