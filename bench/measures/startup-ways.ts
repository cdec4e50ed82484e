/** What is started. Those that are measured elsewhere as well are started with the same programs. */
import { contestants } from "../harness/contestants.ts";

/** Written into the folder in which everything is started: the same tool, in the ways there are to write it. */
export const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ type: "module", private: true }),
  "greet.photon.js": `import { ask, tool } from "@photon/core";
    export const greet = tool({
      description: "Greets somebody",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run({ greeting }) {
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "typed.photon.ts": `import { ask, tool } from "@photon/core";
    interface Input { readonly greeting: string }
    export const greet = tool({
      description: "Greets somebody",
      input: { type: "object", properties: { greeting: { type: "string" } }, required: ["greeting"] },
      async *run(input) {
        const { greeting } = input as unknown as Input;
        return greeting + ", " + (yield* ask.text("Who is it for?"));
      },
    });`,
  "derived.photon.ts": `import { ask } from "@photon/core";
    /** Greets somebody */
    export async function* greet(greeting: string) {
      return greeting + ", " + (yield* ask.text("Who is it for?"));
    }`,
};

export interface Way {
  /** Whose it is, by the name that they are measured by elsewhere. */
  readonly label: string;
  /** What Node is started with. */
  readonly args: readonly string[];
  /** Whether it is told to initialize, and has started once it has answered; otherwise, once it has ended. */
  readonly isServer: boolean;
  /** Forgets what was compiled, before each start. */
  readonly isCold?: boolean;
}

/** Servers on stdio, by what they are called. */
export function starts(photon: string): Readonly<Record<string, Way>> {
  const server = (label: string, ...args: readonly string[]): Way => ({ label, args, isServer: true });
  const serve = (file: string): Way => server("Photon", photon, "serve", file);
  const programs = contestants
    .filter(({ isEcho = false }) => !isEcho)
    .map(({ label, file }) => [
      label === "Photon" ? "Photon, createServer" : label,
      server(label, file, "stdio", "0"),
    ]);
  return {
    // Each entry is a name and a way, as they were put together right above.
    ...(Object.fromEntries(programs) as Record<string, Way>),
    "photon serve, JavaScript": serve("greet.photon.js"),
    "photon serve, TypeScript, cached": serve("typed.photon.ts"),
    "photon serve, TypeScript, cold": { ...serve("typed.photon.ts"), isCold: true },
    "photon serve, a bare generator, cached": serve("derived.photon.ts"),
    "photon serve, a bare generator, cold": { ...serve("derived.photon.ts"), isCold: true },
  };
}

/** The floor of commands. */
export const BARE = "bare Node";

/** Commands, by what they are called. */
export const commands = (photon: string): Readonly<Record<string, Way>> => ({
  [BARE]: { label: BARE, args: ["-e", "0"], isServer: false },
  "photon --version": { label: "Photon", args: [photon, "--version"], isServer: false },
});
