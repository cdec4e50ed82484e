/** What a call came to, as MCP spells it, whoever called. */
export interface Told {
  readonly content: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
}

/** The texts of it, a line each. */
export const textOf = ({ content }: Told): string =>
  content.flatMap((block) => (block.type === "text" ? [block["text"]] : [])).join("\n");
