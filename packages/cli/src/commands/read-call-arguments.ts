/** Reads what was typed after `photon call`: an address and a tool, or a tool and after `--` a command. */
import { logLevels, type LogLevel, type Timeout } from "@photon/core";
import type { Revision } from "@photon/server";
import { isUrl } from "../call/server-address.ts";
import { readValue } from "../flags/read-value.ts";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";
import { callFlags, type CallOptions } from "./call-flags.ts";
import { splitArguments, type Split } from "./split-arguments.ts";

export function readCallArguments(args: readonly string[], env: CommandIO["env"]): CallOptions {
  const split = splitArguments(callFlags, args, ["answer", "header", "decline", "cancel"]);
  const { given } = split;
  const text = (name: string): string | undefined => given.get(name)?.[0];
  const texts = {
    input: text("input"),
    answers: text("answers"),
    record: text("record"),
    out: text("out"),
    token: text("token") ?? tokenIn(env["PHOTON_TOKEN"]),
  };
  return {
    ...whatIsCalled(split),
    // Only what was given: an option that is there and `undefined` would be another thing.
    ...(Object.fromEntries(
      Object.entries(texts).filter(([, value]) => value !== undefined),
    ) as Partial<CallOptions>),
    answer: given.get("answer") ?? [],
    decline: given.get("decline") ?? [],
    cancel: given.get("cancel") ?? [],
    header: given.get("header") ?? [],
    noInput: given.has("no-input"),
    json: given.has("json"),
    list: given.has("list"),
    root: given.has("root"),
    // These three were read by the type and the choices of their flags.
    ...(given.has("revision") ? { revision: valueOf("revision", text("revision")) as Revision } : {}),
    logLevel: valueOf("log-level", text("log-level") ?? "info") as LogLevel,
    timeout: valueOf("timeout", text("timeout") ?? String(callFlags.timeout.default)) as Timeout,
    wantsLevel: given.has("log-level"),
    verbose: given.has("verbose"),
    help: given.has("help"),
  };
}

/** The first token in what `photon serve` reads there as well: `name:token`, several with commas. */
function tokenIn(tokens = ""): string | undefined {
  const [first = ""] = tokens.split(",");
  const token = first.slice(first.indexOf(":") + 1).trim();
  return token === "" ? undefined : token;
}

/** The server, the tool and its flags. After an address, `--` is followed by flags of the tool; else by the server. */
function whatIsCalled({
  words,
  fields,
  rest = [],
}: Split): Pick<CallOptions, "target" | "tool" | "fields" | "command"> {
  const [first, ...others] = words;
  const isAddressed = first !== undefined && isUrl(first);
  const [tool, ...more] = isAddressed ? others : words;
  if (!isAddressed && tool !== undefined && rest.length === 0) throw new UsageError(noServer(tool));
  const [surplus] = more;
  if (surplus !== undefined)
    throw new UsageError(`photon call takes one tool; ${JSON.stringify(surplus)} is too much.`);
  return {
    ...(isAddressed ? { target: first } : {}),
    ...(tool === undefined ? {} : { tool }),
    fields: isAddressed ? [...fields, ...rest] : fields,
    command: isAddressed ? [] : rest,
  };
}

function noServer(word: string): string {
  const looksLikeHost = /^[\w.-]+:\d+|^[\w-]+(?:\.[\w-]+)+\//.test(word);
  const meant = looksLikeHost ? `did you mean http://${word}?` : `a file is run by "photon run ${word}".`;
  return `${JSON.stringify(word)} is no server: give an address (http://localhost:3001/mcp), or a command after --; ${meant}`;
}

/** The value of a flag that has a type of its own, or the sentence that says what is wrong with it. */
function valueOf(name: keyof typeof callFlags, text = ""): unknown {
  const flag = name === "log-level" ? { ...callFlags[name], choices: logLevels } : callFlags[name];
  const read = readValue(`--${name}`, flag, [text]);
  if ("problem" in read) throw new UsageError(`${read.problem}.`);
  return read.value;
}
