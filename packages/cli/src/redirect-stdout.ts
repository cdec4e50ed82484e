import type { Output, CommandIO } from "./io.ts";

/** Erases the progress on the last line of a terminal. */
const ERASE = "\r\u001B[2K";

/**
 * Keeps stdout for the result: other writes to it, such as `console.log` in a tool, go to stderr until `restore`. Write
 * results to the returned `io`.
 */
export function redirectStdout(io: CommandIO): { readonly io: CommandIO; readonly restore: () => void } {
  const { output, errorOutput } = io;
  const own = output.write.bind(output);
  const kept: Output = new Proxy(output, {
    get(target, name) {
      if (name === "write") return own;
      const member: unknown = Reflect.get(target, name, target);
      // A method of a stream must be called on the stream itself; `bind` returns such a method.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const elsewhere = errorOutput.write.bind(errorOutput);
  // The arguments are those of `write`, in any of its overloads.
  output.write = ((...args: Parameters<Output["write"]>) => {
    if (errorOutput.isTTY === true) elsewhere(ERASE);
    return elsewhere(...args);
  }) as Output["write"];
  return {
    io: Object.create(io, { output: { value: kept } }) as CommandIO,
    restore() {
      output.write = own;
    },
  };
}
