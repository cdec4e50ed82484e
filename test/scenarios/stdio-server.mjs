/**
 * A server of the scenarios over stdio, as a process of its own.
 *
 * Usage: node stdio-server.mjs <the newest revision to speak> [what becomes of questions that the client cannot show]
 *
 * What the bodies tell goes to stderr, a line each; the last line says how many sessions are left.
 */
import { createServer } from "@photon/server";
import { cast } from "./tools.mjs";

const [, , revision, whenUnsupported = "fail"] = process.argv;
const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

const server = createServer({
  name: "scenarios",
  // Given by the tests, which take it from the list of revisions; and one of the three ways there are.
  maxRevision: /** @type {import("@photon/server").Revision} */ (revision),
  whenUnsupported: /** @type {import("@photon/core").WhenUnsupported} */ (whenUnsupported),
  ...cast({ tell: say, replace: (definitions) => server.replace(definitions) }),
});
await server.stdio();
say(`${server.sessions} sessions left`);
