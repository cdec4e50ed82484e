/** Acquires a lease and exits without releasing it. Prints the wall clock of the process and whether the lease was acquired. */
import { openStore } from "@photon/server";

const [address = "", name = "", holder = "", milliseconds = ""] = process.argv.slice(2);
const store = await openStore(address);
const isAcquired = await store.lease(name, holder, Number(milliseconds));
process.stdout.write(JSON.stringify({ now: Date.now(), isAcquired }));
await store.close();
