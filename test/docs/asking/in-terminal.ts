/** What `photon run` shows of a tool's questions, in a real terminal. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PseudoTerminal } from "../../../packages/cli/test/pseudo-terminal.ts";
import { bin, type TemporaryFolder } from "../../../packages/cli/test/temporary-folder.ts";

/** What is typed where the first question alone would not show how it goes on, and what then comes. */
const typed: Readonly<Record<string, readonly [answer: string, next: RegExp]>> = {
  form: ["Ada", /◆ {2}Email[^]*^└/m],
  all: ["", /◆ {2}With breakfast\?[^]*^└/m],
};

/** What a question ends with on the screen, which is drawn from its top. */
const END = /^└/m;

/** The screen of somebody who has run a tool from a folder of their own. */
export async function showInTerminal(tool: string, { folder }: TemporaryFolder): Promise<string> {
  const home = join(folder, "ada");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "passport.jpg"), "");
  // Without a deadline, so that no time left is on the screen.
  const command = [process.execPath, bin, "run", `../asking.photon.ts#${tool}`, "--ask-timeout=none"];
  const terminal = new PseudoTerminal(command, {
    cwd: home,
    env: { XDG_CACHE_HOME: join(folder, ".cache") },
  });
  try {
    await terminal.shows(END);
    const [answer, next = END] = typed[tool] ?? [];
    if (answer !== undefined) {
      terminal.type(answer);
      await terminal.shows(answer);
      terminal.press("enter");
    }
    return (await terminal.shows(next)).replaceAll(home, "/home/ada");
  } finally {
    await terminal.close();
  }
}
