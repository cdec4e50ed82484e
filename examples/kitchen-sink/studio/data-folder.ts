import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const BUILT = join("examples", "dist", "kitchen-sink");

/** Where the studio keeps everything: `KITCHEN_SINK_DATA`, or `data` in this example, built or not. */
export function dataFolder(): string {
  const given = process.env["KITCHEN_SINK_DATA"] ?? "";
  if (given !== "") return resolve(given);
  return fileURLToPath(new URL("../data", import.meta.url)).replace(BUILT, join("examples", "kitchen-sink"));
}
