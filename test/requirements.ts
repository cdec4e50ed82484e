/**
 * What Photon must do, row by row.
 *
 * A test cites the rows it verifies in its title; `npm run requirements` lists the rows
 * that no test cites. Legacy is every revision of MCP up to 2025-11-25, modern
 * is 2026-07-28. The goals of speed and memory are in bench/harness/goals.ts: no test verifies them.
 */
export const requirements = {
  // Writing tools
  A1: 'Tools are async generators; raw `{ emit: "status" }` and `{ emit: "ask" }` work as data on every host.',
  A2: 'The short form `{ ask: "text", … }` works; `toast`, `thinking` and `stream` are understood; unknown emits are refused by name.',
  A3: "Asks for text, number, integer, confirm, select, multiselect, date, date-time, secret, file, form and url, with their limits.",
  A4: "Options have a value, a title and a description, given as strings, `{ value, title }` or a record.",
  A5: "Answers are typed by `yield*`, with no cast and no annotation.",
  A6: "`ask.all` puts several questions into one round; `ask.outcome` returns the action instead of throwing.",
  A7: "Schemas come from Standard Schema, JSON Schema, or types and JSDoc; invalid input is an `isError` result naming the field.",
  A8: "A tool returns a string, a JSON value, content blocks, or nothing.",
  A9: "Prompts and resources stand beside tools, with argument completion; prompt bodies may ask.",
  A10: "`sample` and `roots` effects work for clients that have them.",
  A11: "The body sees what the client can do before asking.",
  A12: "A ready pack of tools lets the model ask the human directly: choice, input, confirm and form.",
  A13: "A test kit scripts answers, controls the clock, cuts, restarts at every yield and walks every branch; all runs end the same.",

  // Answers
  B1: "Accept, decline, cancel, timeout, unsupported and invalid are six things with codes; none becomes an answer by itself.",
  B2: "An ask times out after five minutes, or as the ask or server says; its entry is gone and a late answer is dropped.",
  B3: "Answers are checked server-side; an unfit one is an error, or with `retries` is asked again with a hint.",
  B4: "Fallbacks are explicit per outcome; a client without elicitation gets them or an error that says what was needed.",
  B5: "Answerers form a chain with priorities; with no answer and no terminal an ask is cancelled, not hung.",
  B6: "Secrets are never in form mode, journal, log, result or error; masked in the terminal; a one-time page over MCP.",
  B7: "Ask ids are deterministic: the same call retried asks with the same ids.",
  B8: "When a tool is cancelled its ask is cancelled on the wire, `finally` runs and nothing leaks.",
  B9: "Heartbeats go out while a human thinks; the tool's own limit does not run meanwhile.",
  B10: "A client that claims elicitation but answers without a person is reported; `--distrust` treats it as unable to ask.",

  // The wire
  C1: "stdio, SSE+POST, Streamable HTTP and WebSocket pass the same scenario suite.",
  C2: "All four legacy revisions on all four transports, and modern on stdio, Streamable HTTP and WebSocket, on one endpoint at once.",
  C3: "Form schemas stay exactly in the allowed subset, and are down-levelled for 2025-06-18.",
  C4: "URL mode follows each revision, and what the client declares; a client that only has `elicitation: {}` is sent no url asks.",
  C5: "Modern requests, states, discovery, subscriptions, headers, caching hints and error codes are complete.",
  C6: "Straight-line asks work in modern, by parking and by replay.",
  C7: "The official conformance suites are green.",
  C8: "Real clients of both SDK generations and the MCP Inspector's CLI list and call.",
  C9: "Legacy HTTP has sessions, resumable streams, the priming event where due, DELETE and idle reaping.",
  C10: "Tools mount on an existing SDK server by an adapter.",
  C11: "`photon call` bridges another server's elicitations to the terminal.",

  // People
  D1: "`photon serve` serves WebSocket and the other transports.",
  D2: "`photon run` asks every kind in the terminal; piped, scripted and absent input never hang.",
  D3: "The playground shows tools, forms, a live timeline, every ask, many runs, cancel, reload and the JSON-RPC.",
  D4: "The kitchen sink shows every ask and emit kind, every way an ask can end, and the use cases.",
  D5: "Errors say what happened, where, and what to do.",
  D6: "Hot reload keeps open runs on the old code and never switches itself off.",
  D7: "It works in the MCP Inspector by a documented one-line command.",

  // Lasting
  E1: "`step` does its side effects once per run.",
  E2: "With a store, a durable run survives `kill -9` at any yield, ends the same, and does each step at most once.",
  E3: "Sealed state is authenticated, bound, expiring, rotated and idempotent, and single use where asked.",
  E4: "SQLite is embedded; with Redis an answer that lands on another node resumes the run.",
  E5: "Replay divergence and changed tool code are detected and explained.",
  E6: "An inbox lists open questions of durable runs, to be answered later, elsewhere.",
} as const;

export type Row = keyof typeof requirements;

/** The title of a test that verifies these rows: `verifies("A3", "asks for a number")` is "asks for a number [A3]". */
export function verifies(rows: Row | readonly Row[], title: string): string {
  return `${title} [${[rows].flat().join(", ")}]`;
}
