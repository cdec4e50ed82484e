/**
 * Loaded into every server before its own program: tells the harness, over a channel of their own, what the process has used.
 *
 * So no server knows that it is measured, and none outlives the harness.
 */
import type { Usage } from "./harness/usage.ts";

process.on("message", (message) => {
  if (message !== "usage" && message !== "collected") return;
  if (message === "collected") for (let times = 0; times < 4; times++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const usage: Usage = { cpu: user + system, resident: rss, heap: heapUsed, external };
  process.send?.({ usage });
});
process.on("disconnect", () => process.exit());
// A server that has nothing else to do may end.
process.channel?.unref();
