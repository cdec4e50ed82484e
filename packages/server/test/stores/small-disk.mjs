/** Uses a store in SQLite on a disk that gets full. Prints what came of each step, as a JSON object. */
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@photon/server";

const MEGABYTE = 1 << 20;
const [folder = ""] = process.argv.slice(2);
const until = Date.now() + 3_600_000;
const store = await openStore(`sqlite:${join(folder, "photon.db")}`);
const ballast = join(folder, "ballast");

/** @param {Promise<unknown>} promise */
const outcome = (promise) =>
  promise.then(
    () => "ok",
    (/** @type {unknown} */ error) => String(error).replace(/^.*: /, ""),
  );

const before = await outcome(store.ping());
const { bavail, bsize } = statfsSync(folder);
writeFileSync(ballast, Buffer.alloc(bavail * bsize - 2 * MEGABYTE));
const withRoom = await outcome(store.ping());
const large = await outcome(store.append("run", 0, ["x".repeat(4 * MEGABYTE)], { until }));
const full = await outcome(store.ping());
rmSync(ballast);
const after = await outcome(store.ping());
const again = await outcome(store.append("run", 0, ["x".repeat(4 * MEGABYTE)], { until }));
await store.close();
process.stdout.write(JSON.stringify({ before, withRoom, large, full, after, again }));
