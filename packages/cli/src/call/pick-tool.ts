import type { Tool } from "@modelcontextprotocol/client";
import { closestMatch } from "../flags/closest-match.ts";
import { chooseTool } from "../run/pick-tool.ts";
import { oneLine } from "../terminal/clean-text.ts";
import { UsageError } from "../errors.ts";
import type { Calling } from "./calling.ts";
import { toolsOf } from "./offers.ts";
import { nameOf } from "./target.ts";

/** More names than this are no help. */
const SHOWN = 20;

/** The tool that is meant: the one that is named, or the only one, or the one the person chooses. Nothing: they left. */
export async function pickTool(calling: Calling): Promise<Tool | undefined> {
  const { target, options, stage } = calling;
  const at = nameOf(target);
  const tools = await toolsOf(calling);
  if (tools.length === 0) throw new UsageError(`There are no tools at ${at}.`);
  const names = tools.map(({ name }) => name);
  const shown = `${names.slice(0, SHOWN).map(oneLine).join(", ")}${names.length > SHOWN ? ", …" : ""}`;
  if (options.tool !== undefined) {
    const found = tools.find(({ name }) => name === options.tool);
    if (found !== undefined) return found;
    const meant = closestMatch(options.tool, names);
    const wayOut = meant === undefined ? `there is ${shown}.` : `did you mean ${oneLine(meant)}?`;
    throw new UsageError(`There is no tool ${JSON.stringify(options.tool)} at ${at}; ${wayOut}`);
  }
  if (tools.length === 1) return tools[0];
  if (!stage.terminal.isInteractive)
    throw new UsageError(`There are ${tools.length} tools at ${at}; say which: ${shown}.`);
  return chooseTool(tools, stage);
}
