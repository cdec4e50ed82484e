/**
 * Loaded into a server before its own program: counts what its work takes, and tells it to who started it.
 *
 *   1. What was counted so far is the answer to every word.
 *   2. Promises and timers are counted from "watch" to the next word: who counts them allocates as well.
 *   3. Bytes are those of new objects since "collect", as long as they are few enough for no other collection.
 */
import { createHook } from "node:async_hooks";
import { getHeapSpaceStatistics } from "node:v8";

const counts = { parses: 0, stringifies: 0, promises: 0, timers: 0, signals: 0 };

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

globalThis.AbortController = class AbortController extends globalThis.AbortController {
  constructor() {
    super();
    counts.signals += 1;
  }
};
const any = AbortSignal.any.bind(AbortSignal);
AbortSignal.any = (signals) => {
  counts.signals += 1;
  return any(signals);
};
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (milliseconds) => {
  counts.signals += 1;
  return timeout(milliseconds);
};

const made = createHook({
  init(_, type) {
    if (type === "PROMISE") counts.promises += 1;
    else if (type === "Timeout") counts.timers += 1;
  },
});

process.on("message", (word) => {
  if (word === "watch") made.enable();
  else made.disable();
  if (word === "collect") for (let times = 0; times < 3; times++) globalThis.gc?.();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
  process.send?.({ ...counts, bytes: young?.space_used_size });
});
process.on("disconnect", () => process.exit());
// A server that has nothing else to do may end.
process.channel?.unref();
