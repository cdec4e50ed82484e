/** What every command understands. */
export const commonFlags = {
  verbose: { type: "boolean", summary: "show where an error was thrown" },
  help: { type: "boolean", short: "h", summary: "print this help" },
} as const;
