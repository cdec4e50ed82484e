/** What the guests of both eras have in common: what they can do, and what they are given. */
import type {
  CallToolResult,
  ClientCapabilities,
  CreateMessageResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { Revision } from "@photon/server";

/** What a client can do. */
export const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};
/** The same without url elicitation, which revisions before 2025-11-25 do not have. */
const everythingBefore2511: ClientCapabilities = { ...everything, elicitation: {} };
/** What a client can do that declares all that a revision has. */
export const everythingIn = (revision: Revision): ClientCapabilities =>
  revision >= "2025-11-25" ? everything : everythingBefore2511;
export const formsOnly: ClientCapabilities = { elicitation: {} };
export const nothing: ClientCapabilities = {};

export const parrot = (): CreateMessageResult => ({
  role: "assistant",
  content: { type: "text", text: "Hello." },
  model: "parrot",
});

export type Params = Readonly<Record<string, unknown>>;

export interface Called {
  readonly isError: boolean;
  /** The texts of the content. */
  readonly text: string;
  readonly content: CallToolResult["content"];
  readonly structured: unknown;
}

/** What a call was given. */
export function calledWith(
  content: CallToolResult["content"],
  structured: unknown,
  isError: boolean | undefined,
): Called {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { isError: isError === true, text: texts.join("\n"), content, structured };
}

/** What a guest wants to be told of when it changes. */
export interface Wanted {
  readonly tools?: true;
  readonly resource?: string;
}
