import type { CommandIO } from "../io.ts";

/**
 * Keeps stdout for the protocol while tool files are loaded: what they print goes to stderr. To be given back before
 * the server takes it, which does the same from then on.
 */
export function keepStdout({ output, errorOutput }: CommandIO): () => void {
  const own = output.write.bind(output);
  output.write = errorOutput.write.bind(errorOutput);
  return () => {
    output.write = own;
  };
}
