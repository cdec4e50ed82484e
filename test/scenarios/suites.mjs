/**
 * Which scenarios run on which transport and revision, and the rows of the tables in docs/clients.md. Plain JavaScript, for
 * the script that writes the tables.
 *
 *   smoke       A client connects, calls, is asked, cancels, and loses its connection. Every transport in every revision.
 *   connection  What else could depend on the transport: order and delivery of messages, pages, open calls. Every
 *               transport, in the newest revision with sessions and in 2026-07-28. Contains smoke.
 *   full        What depends on the revision. One transport in every revision, and the SDK adapter. Contains connection.
 */
export const suites = /** @type {const} */ (["smoke", "connection", "full"]);

/** @typedef {(typeof suites)[number]} Suite */

/** @type {(suite: Suite, other: Suite) => boolean} */
export const contains = (suite, other) => suites.indexOf(suite) >= suites.indexOf(other);

/** A row, and the smallest suite that tests it. */
export const rows = /** @type {const} */ ([
  { feature: "status and progress", suite: "smoke" },
  { feature: "100 statuses right before the result", suite: "connection" },
  { feature: "100 statuses right before a question", suite: "connection" },
  { feature: "logs", suite: "full" },
  { feature: "audio", suite: "full" },
  { feature: "links", suite: "full" },
  { feature: "structured output", suite: "full" },
  { feature: "`ask.text`", suite: "smoke" },
  { feature: "`ask.number`", suite: "full" },
  { feature: "`ask.rating`", suite: "full" },
  { feature: "`ask.confirm`", suite: "full" },
  { feature: "`ask.select`", suite: "full" },
  { feature: "`ask.multiselect`", suite: "full" },
  { feature: "`ask.date`", suite: "full" },
  { feature: "`ask.form`", suite: "full" },
  { feature: "`ask.url`", suite: "full" },
  { feature: "`ask.secret`", suite: "connection" },
  { feature: "`ask.file`", suite: "full" },
  { feature: "`ask.all`", suite: "full" },
  { feature: "questions one after another", suite: "full" },
  { feature: "decline, cancel", suite: "smoke" },
  { feature: "no answer in time", suite: "connection" },
  { feature: "`retries`", suite: "full" },
  { feature: "no elicitation: fail", suite: "full" },
  { feature: "no elicitation: page", suite: "connection" },
  { feature: "no elicitation: relay", suite: "connection" },
  { feature: "a secret, no url mode: page", suite: "full" },
  { feature: "a file, no url mode: page", suite: "full" },
  { feature: "secret, file, dangerous: relay", suite: "full" },
  { feature: "`fallback`", suite: "full" },
  { feature: "`needs` that are not met", suite: "full" },
  { feature: "`UrlRequired`", suite: "full" },
  { feature: "`sample`", suite: "full" },
  { feature: "a sample that the user refuses", suite: "full" },
  { feature: "`roots`", suite: "full" },
  { feature: "prompts", suite: "full" },
  { feature: "prompts that ask", suite: "full" },
  { feature: "resources, templates", suite: "full" },
  { feature: "resources that ask", suite: "full" },
  { feature: "completion", suite: "full" },
  { feature: "notification of changed resources", suite: "connection" },
  { feature: "notification of new tools", suite: "connection" },
  { feature: "many calls at once", suite: "connection" },
  { feature: "a call cancelled while the tool works", suite: "smoke" },
  { feature: "a call cancelled while a question is open", suite: "connection" },
  { feature: "connection lost while the tool works", suite: "smoke" },
  { feature: "connection lost while a question is open", suite: "smoke" },
]);
