import type { HttpOptions } from "./open-http.ts";
import type { Playground } from "./playground.ts";

/** The files of the playground, where it is asked for. */
export async function playgroundIn({ playground }: HttpOptions): Promise<Playground | undefined> {
  if (playground !== true) return undefined;
  const { readPlayground } = await import("./playground.ts");
  return readPlayground();
}
