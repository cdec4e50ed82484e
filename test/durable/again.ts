import type { Lineage } from "./lineage.ts";

/** Tries until it is done, once more for every process that broke it off. */
export async function again<T>(server: Lineage, attempt: () => Promise<T>, broken?: () => void): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      broken?.();
      await server.replaced;
    }
  }
}
