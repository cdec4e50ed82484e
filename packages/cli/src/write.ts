import type { Output } from "./world.ts";

/** Writes a text; settles once it was taken, or nobody is there to take it. */
export function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.write(text, () => resolve());
  });
}
