/**
 * `photon inbox`: what durable runs wait for, shown and answered in the terminal, or with the answers it was given.
 *
 *   1. Human text goes to stderr, what was asked for to stdout.
 *   2. Exit codes: 0 it was done, 1 an answer was refused or the run ended in an error, 2 the command cannot be done as
 *      typed, 130 interrupted.
 *   3. The store is opened once the command can be done, and closed however it ends.
 */
import { command, type Command } from "../command.ts";
import { commonFlags } from "../flags/common-flags.ts";
import { UsageError } from "../errors.ts";
import { inTerminal } from "./in-terminal.ts";
import { storeFlags } from "./serve-flags.ts";

const flags = {
  ...storeFlags,
  principal: { type: "string", value: "name", summary: "only what this one was asked" },
  list: { type: "boolean", short: "l", summary: "show what is open, and answer nothing" },
  limit: { type: "number", value: "n", default: 100, summary: "the most runs to show" },
  answer: {
    type: "list",
    value: "key=value",
    isWhole: true,
    summary: "answers a question of the run that is named",
  },
  decline: { type: "list", value: "key", isWhole: true, summary: "says no to a question of that run" },
  cancel: { type: "list", value: "key", isWhole: true, summary: "cancels a question of that run" },
  wait: {
    type: "duration",
    value: "5s",
    default: "5s",
    summary: "how long to wait for the run to go on after an answer",
  },
  json: { type: "boolean", summary: "print what there is, or what came of it, as one JSON document" },
  ...commonFlags,
} as const;

export const inbox: Command = command({
  name: "photon inbox",
  usage: "[run]",
  description: `Shows what the durable runs in a store wait for, and answers it: in the terminal, or by --answer.
Some server that shares the store goes on with a run that was answered. Without one it goes on when one starts.
At a prompt, ctrl+d declines, esc leaves the question open, and ctrl+c all of them.`,
  flags,
  examples: [
    "photon inbox --store sqlite:photon.db",
    "photon inbox --store sqlite:photon.db --list --json",
    "photon inbox --store redis://localhost 6f9619ff-8b86-4011-b42d-00c04fc964ff --answer sure=yes",
  ],
  async run({ values, words }, io) {
    const { store: address, principal, limit, answer, decline, cancel, wait, json, verbose } = values;
    const [run, ...more] = words;
    if (more.length > 0) throw new UsageError(`photon inbox takes one run, not ${words.length}.`);
    if (limit < 1) throw new UsageError("--limit is a whole number from 1.");
    if (address === undefined) throw new UsageError("Which store? photon inbox --store sqlite:photon.db");
    const hasAnswers = answer.length + decline.length + cancel.length > 0;
    if (hasAnswers && run === undefined)
      throw new UsageError("Which run? photon inbox <run> --answer key=value; --list shows them.");
    if (hasAnswers && values.list) throw new UsageError("--list answers nothing; leave it out.");
    const { openInboxAt, runInbox } = await import("../inbox/inbox-session.ts");
    const options = {
      fields: [],
      answer,
      decline: [],
      cancel: [],
      noInput: false,
      cancelLabels: { key: "leaves it open", done: "Left open." },
      json,
      logLevel: "info",
      verbose,
      help: false,
    } as const;
    const opened = await openInboxAt(address, io);
    try {
      return await inTerminal(options, io, async (stage) => {
        const inboxOptions = { run, principal, limit, answer, decline, cancel, wait, json };
        return runInbox({ ...inboxOptions, isListed: values.list, hasAnswers }, opened.inbox, stage);
      });
    } finally {
      await opened.close();
    }
  },
});
