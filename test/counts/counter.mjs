/**
 * Preloaded into a server: counts what its work takes, and reports it to the parent process.
 *
 *   1. The answer to each message is what was counted so far.
 *   2. Timers are counted from "count" to the next message: the hook allocates as well.
 *   3. Bytes are those of new objects since "measure", which are few enough that V8 does not collect garbage in between.
 */
import { createHook } from "node:async_hooks";
import { getHeapSpaceStatistics } from "node:v8";

const counts = { parses: 0, stringifies: 0, timers: 0 };

const { parse, stringify } = JSON;
JSON.parse = (text, reviver) => {
  counts.parses += 1;
  return /** @type {unknown} */ (parse(text, reviver));
};
JSON.stringify = (
  /** @type {unknown} */ value,
  /** @type {(number | string)[] | null | undefined} */ replacer,
  /** @type {string | number | undefined} */ space,
) => {
  counts.stringifies += 1;
  return stringify(value, replacer, space);
};

const timers = createHook({
  init(_, type) {
    if (type === "Timeout") counts.timers += 1;
  },
});

process.on("message", (command) => {
  if (command === "count") timers.enable();
  else timers.disable();
  if (command === "measure") for (let times = 0; times < 3; times++) globalThis.gc?.();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
  process.send?.({ ...counts, bytes: young?.space_used_size });
});
process.on("disconnect", () => process.exit());
// The channel must not keep a server alive that has nothing else to do.
process.channel?.unref();
