/**
 * `photon inbox`: shows and answers the open questions of durable runs, in the terminal or with the answers that are given.
 *
 *   1. Questions and notes go to stderr, lists and outcomes to stdout.
 *   2. Exit codes: 0 success, 1 an answer was refused or the run ended in an error, 2 the command cannot be carried out
 *      as typed, 130 interrupted.
 *   3. The store is opened after the flags are checked, and closed however the command ends.
 */
import { command, type Command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { commonFlags } from "../flags/flags.ts";
import { withTerminalSession } from "../run/terminal-session.ts";
import { commandLineFor, shellQuoted } from "../shell-command.ts";
import { parseAnswerFlags } from "../terminal/answers.ts";

export const inbox: Command = command({
  name: "photon inbox",
  usage: ["photon inbox [run] [flags]"],
  description: `Shows the open questions of the durable runs in a store, and answers them: in the terminal, or by --answer.
A server that shares the store then continues the run; without one, the run continues when one starts.
At a prompt, ctrl+d declines, esc leaves the question open, and ctrl+c leaves all of them open.`,
  flags: {
    Runs: {
      store: {
        type: "string",
        value: "address",
        env: "PHOTON_STORE",
        isSecret: true,
        summary: "the store to read: sqlite:photon.db or redis://host; needs PHOTON_KEYS",
      },
      principal: { type: "string", value: "name", summary: "only the questions of this principal" },
      list: { type: "boolean", short: "l", summary: "list the open questions, and answer none" },
      limit: { type: "number", value: "n", default: 100, summary: "the most runs to show" },
    },
    Answers: {
      answer: {
        type: "list",
        value: "key=value",
        keepsCommas: true,
        summary: "answer a question of the named run",
      },
      decline: { type: "list", value: "key", keepsCommas: true, summary: "decline a question of that run" },
      cancel: { type: "list", value: "key", keepsCommas: true, summary: "cancel a question of that run" },
      wait: {
        type: "duration",
        value: "5s",
        default: "5s",
        summary: "how long to wait for the run to continue after an answer",
      },
    },
    Output: {
      json: { type: "boolean", summary: "print the list, or the outcome, as one JSON document" },
      ...commonFlags,
    },
  },
  examples: [
    "photon inbox --store sqlite:photon.db",
    "photon inbox --store sqlite:photon.db --list --json",
    "photon inbox --store redis://localhost 6f9619ff-8b86-4011-b42d-00c04fc964ff --answer sure=yes",
  ],
  async run({ values, positionals, rest }, io) {
    const { store: address, principal, limit, wait, json, verbose } = values;
    const words = [...positionals, ...rest];
    const [run, ...more] = words;
    if (more.length > 0)
      throw new UsageError(`photon inbox takes one run; remove ${JSON.stringify(more[0])}.`);
    if (limit < 1) throw new UsageError("--limit is a whole number from 1.");
    if (address === undefined)
      throw new UsageError(
        `photon inbox needs a store: ${commandLineFor("photon inbox --store sqlite:photon.db", io)}`,
      );
    // A hint repeats the flag only if it was typed, and without a password.
    const isTyped = address !== io.env["PHOTON_STORE"];
    const inboxCommand = `photon inbox${isTyped ? ` --store ${hasPassword(address) ? "<address>" : shellQuoted(address)}` : ""}`;
    const answered = (["answer", "decline", "cancel"] as const).find((name) => values[name].length > 0);
    if (answered !== undefined && run === undefined)
      throw new UsageError(
        `--${answered} needs a run: ${commandLineFor(`${inboxCommand} <run> --${answered} ${answered === "answer" ? "key=value" : "key"}`, io)}; --list shows them.`,
      );
    if (answered !== undefined && values.list) throw new UsageError("--list answers nothing; leave it out.");
    const answers = answered === undefined ? undefined : parseAnswerFlags(values);
    const { openInboxAt, runInbox } = await import("../inbox/inbox-session.ts");
    const options = {
      noInput: false,
      json,
      verbose,
      cancelLabels: { key: "leaves it open", done: "Left open." },
    };
    const opened = await openInboxAt(address, io);
    try {
      return await withTerminalSession(options, io, async (session) => {
        const inboxOptions = { run, principal, limit, answers, wait, json, inboxCommand };
        return runInbox({ ...inboxOptions, isListed: values.list }, opened.inbox, session);
      });
    } finally {
      await opened.close();
    }
  },
});

const hasPassword = (address: string): boolean => URL.canParse(address) && new URL(address).password !== "";
