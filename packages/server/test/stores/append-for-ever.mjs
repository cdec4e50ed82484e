/** Appends to a store until it is killed, and says of each record that it is in. */
import { openStore } from "@photon/server";

const [address = "", run = ""] = process.argv.slice(2);
const store = await openStore(address);
const until = Date.now() + 3_600_000;
const from = (await store.read(run)).length;
process.stdout.write(`from ${from}\n`);
for (let at = from; ; at += 2) {
  const records = [`${at} ${"x".repeat(2000)}`, `${at + 1} ${"y".repeat(2000)}`];
  const isIn = await store.append(run, at, records, {
    until,
    open: { group: "ada", since: at, value: `${at}` },
  });
  process.stdout.write(`${isIn ? at + 2 : "lost its place"}\n`);
}
