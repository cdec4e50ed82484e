/** The result of a call as in MCP, from any client. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
}

/** The texts of the result, joined by newlines. */
export const textOf = ({ content }: ToolResult): string =>
  content.flatMap((block) => (block.type === "text" ? [block["text"]] : [])).join("\n");
