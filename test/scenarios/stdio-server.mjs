/**
 * A server of the scenarios over stdio.
 *
 * Usage: node stdio-server.mjs <the newest revision to speak> [the value of whenUnsupported]
 *
 * The log of the tools goes to stderr, line by line; the last line says how many sessions are left.
 */
import { createServer } from "@photon/server";
import { createDefinitions } from "./tools.mjs";

const [, , revision, whenUnsupported = "fail"] = process.argv;
const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

const server = createServer({
  name: "scenarios",
  // The tests pass values of these types.
  maxRevision: /** @type {import("@photon/server").Revision} */ (revision),
  whenUnsupported: /** @type {import("@photon/core").WhenUnsupported} */ (whenUnsupported),
  ...createDefinitions({ log: say, replace: (definitions) => server.replace(definitions) }),
});
await server.stdio();
say(`${server.sessions} sessions left`);
