/** What this page says of itself to servers. */
import type { Fields } from "../wire/record.ts";

export const CLIENT_INFO: Fields = { name: "photon-playground", version: "0.1.0" };

/**
 * Photon servers tell whoever declares it what they know of a question beyond what a form can say, and ask any number of
 * rounds in one call.
 */
const DETAILS: Fields = { "photon/questions": {}, "photon/rounds": {} };

const CAPABILITIES: Fields = { elicitation: { form: {}, url: {} }, sampling: {} };

/** As sessions have it. */
export const SESSION_CAPABILITIES: Fields = { ...CAPABILITIES, experimental: DETAILS };

/** As requests that stand alone have it. */
export const REQUEST_CAPABILITIES: Fields = { ...CAPABILITIES, extensions: DETAILS };
