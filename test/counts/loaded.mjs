/** Loaded into a process before its own program: writes to its fourth descriptor what it loaded, once it ends. */
import { writeSync } from "node:fs";
import { Session } from "node:inspector";

/** @type {Record<string, number>} */
const files = {};
const session = new Session();
session.connect();
session.on("Debugger.scriptParsed", ({ params: { url, length } }) => {
  if (url.startsWith("file:") && url !== import.meta.url) files[url] = length ?? 0;
});
session.post("Debugger.enable");

process.on("exit", () => {
  // Not documented, and there since the first versions of Node.
  const { moduleLoadList } = /** @type {{ moduleLoadList: string[] }} */ (/** @type {unknown} */ (process));
  const builtins = moduleLoadList
    .filter((entry) => entry.startsWith("NativeModule ") && !entry.includes("internal/"))
    .map((entry) => entry.slice("NativeModule ".length));
  writeSync(3, JSON.stringify({ files, builtins }));
});
