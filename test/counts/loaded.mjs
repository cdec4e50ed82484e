/** Preloaded into a process: when it ends, writes the files and modules of Node that it loaded to its fourth descriptor. */
import { writeSync } from "node:fs";
import { Session } from "node:inspector";

/** @type {string[]} */
const files = [];
const session = new Session();
session.connect();
session.on("Debugger.scriptParsed", ({ params: { url } }) => {
  if (url.startsWith("file:") && url !== import.meta.url) files.push(url);
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
