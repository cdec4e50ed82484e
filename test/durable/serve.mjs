/**
 * A process that serves the wizard, and can be told at which point to die.
 *
 * Usage: node serve.mjs <address of the store> <folder>; PHOTON_KEYS has its keys. It says where it is reached. A line to its
 * input arms it, and is said again once it is. It ends with its input.
 */
import { ServerResponse } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createServer, openStore } from "@photon/server";
import { Points } from "./points.mjs";
import { relayed, wizard } from "./wizard.mjs";

const [, , address = "", folder = ""] = process.argv;
const points = new Points(join(folder, "trace"));

/**
 * The same store, whose writes are points.
 * @param {import("@photon/server").Store} store
 * @returns {import("@photon/server").Store}
 */
const watched = (store) =>
  new Proxy(store, {
    get(target, name) {
      /** @type {unknown} */
      const own = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (/** @type {unknown[]} */ ...words) => {
        const after = name === "append" ? points.begin("append") : undefined;
        /** @type {unknown} */
        const given = Reflect.apply(own, target, words);
        return after === undefined ? given : Promise.resolve(given).finally(after);
      };
    },
  });

/** What is sent is a point, too: before it is given to the system, and once it has been. */
for (const name of /** @type {const} */ (["write", "end"])) {
  const send = ServerResponse.prototype[name];
  Object.defineProperty(ServerResponse.prototype, name, {
    /**
     * @this {ServerResponse}
     * @param {unknown[]} words
     * @returns {unknown}
     */
    value(...words) {
      const after = points.begin("send");
      return Reflect.apply(send, this, [...words, after]);
    },
  });
}

const server = createServer({
  tools: [wizard(join(folder, "effects"), points), relayed(join(folder, "effects"), points)],
  store: watched(await openStore(address)),
  lease: "300ms",
});
const { url } = await server.listen();
process.stdout.write(`${url}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  points.arm(line);
  process.stdout.write(`${line}\n`);
}
process.exit();
