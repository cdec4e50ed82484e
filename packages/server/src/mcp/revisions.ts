/** The session revisions of MCP, and what each can carry. */
export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

export type Revision = (typeof revisions)[number];

export interface Features {
  readonly revision: Revision;
  /** Several messages in one. */
  readonly batches: boolean;
  /** Audio in content, tool annotations, progress messages, completions as a capability. */
  readonly since2503: boolean;
  /** Structured output, resource links, titles. */
  readonly since2506: boolean;
  /** Url elicitation, titled choices, defaults of every kind, events that can be resumed from the start. */
  readonly since2511: boolean;
}

export function featuresOf(revision: Revision): Features {
  return {
    revision,
    batches: revision === "2025-03-26",
    since2503: revision >= "2025-03-26",
    since2506: revision >= "2025-06-18",
    since2511: revision >= "2025-11-25",
  };
}

/** What is spoken with a client that wants `asked`: that, or the newest there is. */
export function negotiate(asked: unknown, newest: Revision): Revision {
  const spoken = revisions.filter((revision) => revision <= newest);
  return spoken.find((revision) => revision === asked) ?? newest;
}
