import type { HttpOptions } from "../app/router.ts";
import type { Playground } from "../app/playground.ts";

/** The files of the playground, where it is asked for. */
export async function playgroundIn({ playground }: HttpOptions): Promise<Playground | undefined> {
  if (playground !== true) return undefined;
  const { readPlayground } = await import("../app/playground.ts");
  return readPlayground();
}
