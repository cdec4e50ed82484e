/** Tools that ask for what no client may see. */
import { readFile } from "node:fs/promises";
import { ask, Secret, tool, type Body, type Tool } from "@photon/core";
import type { Witness } from "../wire/tools.ts";

/** Asks for a password, and tells what it was given, but not its value. */
export const login = tool({
  name: "login",
  async *run() {
    const password = yield* ask.secret("Password?");
    return `${password instanceof Secret} ${password.reveal().length} ${String(password)}`;
  },
});

/** Asks for a file, reads it, and gives its path away. */
export const upload = tool({
  name: "upload",
  async *run() {
    const photo = yield* ask.file("Photo?");
    // What is uploaded to a page lies at a path.
    const { name, path } = photo as Extract<typeof photo, { readonly path: string }>;
    return { name, path, text: await readFile(path, "utf8") };
  },
});

/** Tells how asking for a password ended, and tells the witness when. */
export function cautious(witness: Witness, then?: () => Body<unknown>): Tool<never> {
  return tool({
    name: "cautious",
    async *run() {
      try {
        const { action } = yield* ask.outcome(ask.secret("Password?"));
        if (then !== undefined) yield* then();
        return action;
      } finally {
        witness.end("cautious");
      }
    },
  });
}
