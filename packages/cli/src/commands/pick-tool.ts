import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Tool } from "@photon/core";
import { choose } from "../terminal/prompts/choice.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../errors.ts";

/** A file, and which of its tools is meant. */
export interface Target {
  readonly file: string;
  readonly tool?: string;
}

/** Takes `file#tool` apart. A file that has a "#" in its name is that file. */
export function readTarget(target: string, cwd: string): Target {
  const at = target.lastIndexOf("#");
  if (at < 0 || existsSync(resolve(cwd, target))) return { file: target };
  return { file: target.slice(0, at), tool: target.slice(at + 1) };
}

/** The tool that is meant: the one that is named, or the only one, or the one the person chooses. */
export async function pickTool(
  { file, tool: name }: Target,
  tools: readonly Tool<never>[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Tool<never> | undefined> {
  const names = tools.map((tool) => `${file}#${tool.name ?? ""}`).join(", ");
  if (tools.length === 0)
    throw new UsageError(`There is no tool in ${file}; export one: export const name = tool({ … }).`);
  if (name !== undefined) {
    const found = tools.find((tool) => tool.name === name);
    if (found === undefined)
      throw new UsageError(`There is no tool ${JSON.stringify(name)} in ${file}; there is ${names}.`);
    return found;
  }
  if (tools.length === 1) return tools[0];
  if (!terminal.isInteractive)
    throw new UsageError(`There are ${tools.length} tools in ${file}; say which: ${names}.`);
  const options = tools.map((tool, index) => ({
    value: index,
    title: tool.name ?? "",
    ...(tool.description === undefined ? {} : { description: tool.description }),
  }));
  const context = { clack: await import("@clack/prompts"), terminal, signal };
  const reply = await choose({ message: "Which tool?", keys: "esc leaves" }, options, undefined, {
    context,
    isOptional: false,
  });
  return reply.action === "accept" ? tools[Number(reply.value)] : undefined;
}
