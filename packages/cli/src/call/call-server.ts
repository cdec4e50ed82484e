/** Everything between a server's address and the exit code: connects, lists, asks for the input, calls. */
import { milliseconds } from "@photon/core";
import { callToolHelp, type CallOptions } from "../commands/call-flags.ts";
import { openHost } from "../run/terminal-host.ts";
import type { TerminalSession as Stage } from "../run/terminal-session.ts";
import { silent } from "./call-failed.ts";
import { callTool } from "./call-tool.ts";
import type { Calling } from "./calling.ts";
import { connect } from "./connect.ts";
import { capabilitiesFor, handleRequests } from "./handle-requests.ts";
import { FOR_EVER } from "./for-ever.ts";
import { readHeaders } from "./headers.ts";
import { HeldEmits } from "./held-emits.ts";
import { inTheOpen } from "./in-the-open.ts";
import { inputFor } from "./input-for.ts";
import { Person } from "./person.ts";
import { pickTool } from "./pick-tool.ts";
import { showOffers } from "./show-offers.ts";
import { inputSchemaOf } from "./remote-tool.ts";
import { Silence } from "./silence.ts";
import type { Target } from "./target.ts";

export async function callServer(target: Target, options: CallOptions, stage: Stage): Promise<number> {
  const { io, interruptions } = stage;
  const headers = readHeaders(options.header, options.token);
  const opened = await openHost(options, stage);
  const warning = inTheOpen(target, headers);
  if (warning !== undefined) opened.host.emits.say(warning, "yellow");
  const limit =
    options.timeout === "none" ? undefined : Math.min(milliseconds(options.timeout, "--timeout"), FOR_EVER);
  const request = { timeout: limit ?? FOR_EVER, signal: interruptions.run };
  const silence = new Silence(limit, () => interruptions.fail(silent(target, options.timeout)));
  const told = new HeldEmits(opened.host.emits);
  const asking = (isAsking: boolean): void => {
    told.hold(isAsking);
    if (isAsking || interruptions.run.aborted) silence.stop();
    else silence.count();
  };
  const person = new Person({ host: opened.host, named: opened.named, asking });
  try {
    const { client, close } = await connect(target, {
      ...request,
      io,
      headers,
      ...(options.revision === undefined ? {} : { revision: options.revision }),
      capabilities: capabilitiesFor(options),
      prepare: (unconnected) => handleRequests(unconnected, { person, options, cwd: io.cwd }),
      tell: (line) => told.show(line),
      heard: () => silence.heard(),
    });
    try {
      return await act({ client, target, options, stage, opened, person, told, silence, request });
    } finally {
      silence.stop();
      await close();
    }
  } finally {
    await opened.close();
  }
}

async function act(calling: Calling): Promise<number> {
  const { options, stage } = calling;
  if (options.list) return showOffers(calling);
  const tool = await pickTool(calling);
  if (tool === undefined) return 130;
  const { name, title, description } = tool;
  if (options.help)
    return stage.telling.help(
      callToolHelp({ name, about: description ?? title ?? name, input: inputSchemaOf(tool) }),
    );
  const input = await inputFor(tool, calling);
  return input === undefined ? 130 : callTool(tool, input, calling);
}
