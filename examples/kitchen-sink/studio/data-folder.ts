import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const BUILT = join("examples", "dist", "kitchen-sink");

/** The folder of the studio's files: `KITCHEN_SINK_DATA`, or `data` in the sources of this example. */
export function dataFolder(): string {
  const given = process.env["KITCHEN_SINK_DATA"] ?? "";
  if (given !== "") return resolve(given);
  return fileURLToPath(new URL("../data", import.meta.url)).replace(BUILT, join("examples", "kitchen-sink"));
}
