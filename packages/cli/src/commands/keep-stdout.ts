import type { Output, CommandIO } from "../io.ts";

/** Erases what may be drawn on the last line of a screen. */
const ERASE = "\r\u001B[2K";

/**
 * Keeps stdout for the result: whatever else writes to it, a `console.log` in a tool above all, goes to stderr until
 * it is given back.
 */
export function keepStdout(io: CommandIO): { readonly io: CommandIO; giveBack(): void } {
  const { output, errorOutput } = io;
  const own = output.write.bind(output);
  const kept: Output = new Proxy(output, {
    get(target, name) {
      if (name === "write") return own;
      const member: unknown = Reflect.get(target, name, target);
      // A stream's own methods must be called on the stream itself; what comes of `bind` is such a method.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  const elsewhere = errorOutput.write.bind(errorOutput);
  // What is passed on is what was passed, in whichever of the forms that `write` has.
  output.write = ((...args: Parameters<Output["write"]>) => {
    if (errorOutput.isTTY === true) elsewhere(ERASE);
    return elsewhere(...args);
  }) as Output["write"];
  return {
    io: Object.create(io, { output: { value: kept } }) as CommandIO,
    giveBack() {
      output.write = own;
    },
  };
}
