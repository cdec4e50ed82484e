import type { Prompt, Resource, Tool } from "@photon/core";
import type { KnownAsk } from "./list-asks.ts";

/** Something that is offered, and the questions that its source shows. */
interface Listed<Definition> {
  readonly definition: Definition;
  readonly asks: readonly KnownAsk[];
}

export interface Listing {
  readonly tools: readonly Listed<Tool<never>>[];
  readonly prompts: readonly Listed<Prompt<never>>[];
  readonly resources: readonly Listed<Resource<never>>[];
}

/** The part of a listing that people are shown; what another server offers has no more. */
export interface ShownListing {
  readonly tools: readonly Listed<Pick<Tool<never>, "name" | "title" | "description" | "input" | "needs">>[];
  readonly prompts: readonly Listed<
    Pick<Prompt<never>, "name" | "title" | "description" | "arguments" | "needs">
  >[];
  readonly resources: readonly Listed<Pick<Resource<never>, "uri" | "title" | "description" | "needs">>[];
}
