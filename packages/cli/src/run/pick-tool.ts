import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Tool } from "@photon/core";
import { UsageError } from "../errors.ts";
import { closestMatch } from "../flags/closest-match.ts";
import { choose } from "../terminal/prompts/choice.ts";
import type { TerminalSession } from "./terminal-session.ts";

/** A file, and the name of one of its tools. */
export interface Target {
  readonly file: string;
  readonly tool?: string;
}

/** Splits `file#tool`, unless there is a file of that whole name. */
export function readTarget(target: string, cwd: string): Target {
  const at = target.lastIndexOf("#");
  if (at < 0 || existsSync(resolve(cwd, target))) return { file: target };
  return { file: target.slice(0, at), tool: target.slice(at + 1) };
}

/** The named tool, the only one, or the choice of the person; undefined if they leave the prompt. */
export async function pickTool(
  { file, tool: name }: Target,
  tools: readonly Tool<never>[],
  { terminal, interruptions }: TerminalSession,
): Promise<Tool<never> | undefined> {
  const names = tools.map((tool) => `${file}#${tool.name ?? ""}`).join(", ");
  if (tools.length === 0)
    throw new UsageError(`There is no tool in ${file}; export one: export const name = tool({ … }).`);
  if (name !== undefined) {
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
    const match = closestMatch(
      name,
      tools.map((tool) => tool.name ?? ""),
    );
    const hint = match === undefined ? `there is ${names}.` : `did you mean ${file}#${match}?`;
    throw new UsageError(`There is no tool ${JSON.stringify(name)} in ${file}; ${hint}`);
  }
  if (tools.length === 1) return tools[0];
  if (!terminal.isInteractive)
    throw new UsageError(`There are ${tools.length} tools in ${file}; say which: ${names}.`);
  return chooseTool(tools, { terminal, interruptions });
}

/** Asks the person which tool. */
export async function chooseTool<
  Choice extends { readonly [Text in "name" | "title" | "description"]?: string | undefined },
>(
  tools: readonly Choice[],
  { terminal, interruptions }: Pick<TerminalSession, "terminal" | "interruptions">,
): Promise<Choice | undefined> {
  const options = tools.map(({ name = "", title, description = title }, index) => ({
    value: index,
    title: name,
    ...(description === undefined ? {} : { description }),
  }));
  const context = { clack: await import("@clack/prompts"), terminal, signal: interruptions.run };
  const reply = await choose({ message: "Which tool?", keys: "esc leaves" }, options, undefined, {
    context,
    isOptional: false,
  });
  return reply.action === "accept" ? tools[Number(reply.value)] : undefined;
}
