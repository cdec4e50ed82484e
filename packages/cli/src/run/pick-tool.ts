/** Which tool a command means. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { closestMatch } from "../flags/closest-match.ts";
import { choose } from "../terminal/prompts/choice.ts";
import type { TerminalSession } from "./terminal-session.ts";

/** A file, and the name of one of its tools. */
export interface ToolPath {
  readonly file: string;
  readonly tool?: string;
}

/** Splits `file#tool`, unless there is a file of that whole name. */
export function parseToolPath(path: string, cwd: string): ToolPath {
  const at = path.lastIndexOf("#");
  if (at < 0 || existsSync(resolve(cwd, path))) return { file: path };
  return { file: path.slice(0, at), tool: path.slice(at + 1) };
}

interface Pickable {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

interface ToolChoice {
  /** The name on the command line. */
  readonly name: string | undefined;
  /** Where the tools are: "in greet.ts". */
  readonly where: string;
  /** How a name is written on the command line. */
  readonly format: (name: string) => string;
}

/** More names than this are no help. */
const MAX_NAMES = 20;

/** The named tool, the only one, or the choice of the person; undefined if they leave the prompt. */
export async function pickTool<Tool extends Pickable>(
  tools: readonly Tool[],
  { name, where, format }: ToolChoice,
  session: TerminalSession,
): Promise<Tool | undefined> {
  const names = tools.map((tool) => tool.name ?? "");
  const shown = `${names.slice(0, MAX_NAMES).map(format).join(", ")}${names.length > MAX_NAMES ? ", …" : ""}`;
  if (name !== undefined) {
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
    const match = closestMatch(name, names);
    const hint = match === undefined ? `there is ${shown}.` : `did you mean ${format(match)}?`;
    throw new UsageError(`There is no tool ${JSON.stringify(name)} ${where}; ${hint}`);
  }
  if (tools.length === 1) return tools[0];
  if (!session.terminal.isInteractive)
    throw new UsageError(`There are ${tools.length} tools ${where}; say which: ${shown}.`);
  return chooseTool(tools, session);
}

async function chooseTool<Tool extends Pickable>(
  tools: readonly Tool[],
  { terminal, signals }: TerminalSession,
): Promise<Tool | undefined> {
  const options = tools.map(({ name = "", title, description = title }, index) => ({
    value: index,
    title: name,
    ...(description === undefined ? {} : { description }),
  }));
  const context = { clack: await import("@clack/prompts"), terminal, signal: signals.run };
  const reply = await choose({ message: "Which tool?", keys: "esc leaves" }, options, undefined, {
    context,
    isOptional: false,
  });
  return reply.action === "accept" ? tools[Number(reply.value)] : undefined;
}
