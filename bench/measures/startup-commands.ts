/** The commands whose start is measured. The servers are those of the other measures. */
import nodeModule from "node:module";
import { benchServers } from "../harness/servers.ts";

/** The files of the working folder: the same tool as JavaScript, as TypeScript, and as a bare generator. */
export const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ type: "module", private: true }),
  "greet.photon.js": `import { ask, tool } from "@photon/core";
    export const greet = tool({
      description: "Greets a person",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run({ greeting }) {
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "typed.photon.ts": `import { ask, tool } from "@photon/core";
    interface Input { readonly greeting: string }
    export const greet = tool({
      description: "Greets a person",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run(input) {
        const { greeting } = input as unknown as Input;
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "derived.photon.ts": `import { ask } from "@photon/core";
    /** Greets a person */
    export async function* greet(greeting: string) {
      return greeting + ", " + (yield* ask.text("Who is it for?"));
    }`,
};

export interface StartupCommand {
  /** The label of its server in `benchServers`. */
  readonly label: string;
  /** The arguments of Node. */
  readonly args: readonly string[];
  /** Whether the time ends with the response to `initialize`. For other commands it ends with the exit. */
  readonly isServer: boolean;
  /** Whether the compile cache is deleted before each start. */
  readonly isCold?: boolean;
}

/** Servers on stdio, by name. */
export function serverCommands(photon: string): Readonly<Record<string, StartupCommand>> {
  const server = (label: string, ...args: readonly string[]): StartupCommand => ({
    label,
    args,
    isServer: true,
  });
  const serve = (file: string): StartupCommand => server("Photon", photon, "serve", file);
  const programs = benchServers
    .filter(({ isEcho = false }) => !isEcho)
    .map(({ label, file }) => [
      label === "Photon" ? "Photon, createServer" : label,
      server(label, file, "stdio", "0"),
    ]);
  return {
    // The entries above are pairs of a name and a command, which TypeScript infers as arrays.
    ...(Object.fromEntries(programs) as Record<string, StartupCommand>),
    "photon serve, JavaScript": serve("greet.photon.js"),
    ...withCold("photon serve, TypeScript", serve("typed.photon.ts")),
    ...withCold("photon serve, a bare generator", serve("derived.photon.ts")),
  };
}

/** A command, and the same with an empty compile cache: Node has one since version 22.8. */
const withCold = (name: string, command: StartupCommand): Readonly<Record<string, StartupCommand>> => ({
  [name]: command,
  ...("enableCompileCache" in nodeModule ? { [`${name}, cold`]: { ...command, isCold: true } } : {}),
});

/** The baseline of commands. */
export const BARE = "bare Node";

/** Other commands, by name. */
export const otherCommands = (photon: string): Readonly<Record<string, StartupCommand>> => ({
  [BARE]: { label: BARE, args: ["-e", "0"], isServer: false },
  "photon --version": { label: "Photon", args: [photon, "--version"], isServer: false },
});
