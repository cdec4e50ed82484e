/** The revisions of MCP, and their features. */
export const sessionRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

/** The revision without sessions, and without requests from the server to the client. */
export const MODERN = "2026-07-28";

export type SessionRevision = (typeof sessionRevisions)[number];
export type Revision = SessionRevision | typeof MODERN;

export const revisions: readonly Revision[] = [...sessionRevisions, MODERN];

export interface Features {
  readonly revision: Revision;
  /** Batches. */
  readonly batches: boolean;
  /** Audio in content, tool annotations, progress messages, completions as a capability. */
  readonly since2503: boolean;
  /** Structured output, resource links, titles. */
  readonly since2506: boolean;
  /**
   * Elicitation as 2025-11-25 has it: url mode, titled choices, lists of choices, defaults of every kind. Also on an older
   * revision, where the client declares url mode: Codex 0.166 and SDK 1.23 declare it on 2025-06-18, and show all of it.
   */
  readonly elicitation2511: boolean;
  /** Structured output of any type; url elicitation without an `elicitationId`. */
  readonly since2607: boolean;
}

/** The features of each revision. */
const features = new Map(
  revisions.map((revision): [Revision, Features] => [
    revision,
    {
      revision,
      batches: revision === "2025-03-26",
      since2503: revision >= "2025-03-26",
      since2506: revision >= "2025-06-18",
      elicitation2511: revision >= "2025-11-25",
      since2607: revision >= MODERN,
    },
  ]),
);

/** The same, for clients that declare url elicitation. */
const featuresWithUrl = new Map(
  [...features].map(([revision, own]) => [
    revision,
    own.elicitation2511 ? own : { ...own, elicitation2511: true },
  ]),
);

/** The features of a connection; `declaresUrl`: its client declares url elicitation. */
export function featuresOf(revision: Revision, declaresUrl = false): Features {
  return (declaresUrl ? featuresWithUrl : features).get(revision) as Features;
}

/** Negotiates the revision of a session: the one that the client asks for, or else the newest. */
export function negotiate(asked: unknown, newest: Revision): SessionRevision {
  const spoken = sessionRevisions.filter((revision) => revision <= newest);
  return spoken.find((revision) => revision === asked) ?? spoken.at(-1) ?? sessionRevisions[0];
}
