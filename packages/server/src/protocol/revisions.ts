/** The revisions of MCP, and what each has. */
export const sessionRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

/** The revision without sessions, and without requests from the server to the client. */
export const STATELESS_REVISION = "2026-07-28";

/** A revision of MCP that has sessions. */
export type SessionRevision = (typeof sessionRevisions)[number];
/** A revision of MCP that Photon speaks. */
export type Revision = SessionRevision | typeof STATELESS_REVISION;

/** Every revision of MCP that Photon speaks, the oldest first. */
export const revisions: readonly Revision[] = [...sessionRevisions, STATELESS_REVISION];

export interface Features {
  readonly revision: Revision;
  readonly batches: boolean;
  readonly audioContent: boolean;
  readonly toolAnnotations: boolean;
  /** Completions are a capability of the server. */
  readonly completionsCapability: boolean;
  readonly titles: boolean;
  readonly resourceLinks: boolean;
  /** The structured output of tools: an object, or any JSON. */
  readonly structuredOutput: "none" | "object" | "any";
  /**
   * Elicitation with what 2025-11-25 added: url mode, titled choices, lists of choices, defaults of every kind. Also on an older
   * revision, if the client declares url mode: Codex 0.166 and SDK 1.23 declare it on 2025-06-18, and show all of it.
   */
  readonly extendedElicitation: boolean;
  /** Requests stand alone: no session, no requests from the server, and no ids of elicitations. */
  readonly stateless: boolean;
}

/** The features of each revision. */
const features = new Map(
  revisions.map((revision): [Revision, Features] => [
    revision,
    {
      revision,
      batches: revision === "2025-03-26",
      audioContent: revision >= "2025-03-26",
      toolAnnotations: revision >= "2025-03-26",
      completionsCapability: revision >= "2025-03-26",
      titles: revision >= "2025-06-18",
      resourceLinks: revision >= "2025-06-18",
      structuredOutput: revision >= STATELESS_REVISION ? "any" : revision >= "2025-06-18" ? "object" : "none",
      extendedElicitation: revision >= "2025-11-25",
      stateless: revision >= STATELESS_REVISION,
    },
  ]),
);

/** The same, for clients that declare url elicitation. */
const featuresWithUrl = new Map(
  [...features].map(([revision, own]) => [
    revision,
    own.extendedElicitation ? own : { ...own, extendedElicitation: true },
  ]),
);

/** The features of a connection; `declaresUrl`: its client declares url elicitation. */
export function featuresOf(revision: Revision, declaresUrl = false): Features {
  return (declaresUrl ? featuresWithUrl : features).get(revision) as Features;
}

/** Negotiates the revision of a session: the one that the client asks for, or else the newest. */
export function negotiate(requested: unknown, newest: Revision): SessionRevision {
  const spoken = sessionRevisions.filter((revision) => revision <= newest);
  return spoken.find((revision) => revision === requested) ?? spoken.at(-1) ?? sessionRevisions[0];
}
