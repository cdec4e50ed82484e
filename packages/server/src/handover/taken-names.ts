import { InvalidDefinition, type Tool } from "@photon/core";
import type { Definitions } from "../catalog.ts";
import type { House } from "../house.ts";
import type { Settings } from "../settings.ts";
import { ANSWER, CONTINUE } from "./words.ts";

const TAKEN: ReadonlySet<string> = new Set([CONTINUE, ANSWER]);

/** Whether calls are handed over: those of one of the tools, or of all of them. */
export function handsOver(
  tools: readonly Tool<never>[],
  { whenUnsupported }: Pick<Settings, "whenUnsupported">,
): boolean {
  return tools.some((tool) => (tool.whenUnsupported ?? whenUnsupported) !== "fail");
}

/** The same definitions; throws where a tool has the name of one that goes on with calls which were handed over. */
export function untaken(definitions: Definitions, settings: Pick<Settings, "whenUnsupported">): Definitions {
  if (definitions.tools === undefined) return definitions;
  // Read once: it may be a generator.
  const tools = [...definitions.tools];
  const taken = tools.find(({ name }) => goesOn(name));
  if (taken === undefined || !handsOver(tools, settings)) return { ...definitions, tools };
  throw new InvalidDefinition(
    `The name ${JSON.stringify(taken.name)} is taken: where whenUnsupported is "page" or "relay", a tool of the server's own is called so. Call yours something else.`,
  );
}

/** Whether `photon_continue` continues calls whose clients take no more rounds of questions, at this server. */
export function continuesCalls({ catalog, settings }: Pick<House, "catalog" | "settings">): boolean {
  return Number.isFinite(settings.limits.roundsPerCall) && catalog.tools.find(CONTINUE) === undefined;
}

/** Whether a call is of one of those tools: it takes no place, and may free one. */
export const goesOn = (name: unknown): boolean => typeof name === "string" && TAKEN.has(name);
