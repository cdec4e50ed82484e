/**
 * Writes docs/images/terminal.svg: the tool at the top of the README, run by `photon run` in a pseudo-terminal, while it
 * asks and after the answers. The same README gives the same picture.
 *
 * Usage: npm run build && node scripts/pictures/terminal-svg.mjs
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawScreens } from "./draw-screens.mjs";
import { PseudoTerminal } from "./pseudo-terminal.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const picture = join(root, "docs/images/terminal.svg");

const SIZE = { columns: 48, rows: 18 };
const COMMAND = "npx photon run book --city Rome";

/** Runs the tool, and returns the SVG. */
async function drawPicture() {
  // Within the repository, so that Node finds the packages, and in a folder that git ignores.
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist/picture-"));
  try {
    writeFileSync(join(folder, "book.photon.ts"), toolIn(readFileSync(join(root, "README.md"), "utf8")));
    const photon = join(root, "packages/cli/bin/photon.js");
    const command = COMMAND.replace("npx photon", `'${process.execPath}' '${photon}'`);
    const terminal = new PseudoTerminal(`printf '$ %s\\n' '${COMMAND}' && exec ${command}`, {
      ...SIZE,
      cwd: folder,
    });
    await terminal.waitForText("◆  How many nights?");
    terminal.type("3");
    await terminal.waitForText("3█");
    terminal.type("\r");
    await terminal.waitForText("● Single");
    terminal.type("\u001B[B");
    await terminal.waitForText("● Double");
    const asked = terminal.screen();
    terminal.type("\r");
    await terminal.waitForText("◆  Book it for 3 nights?");
    terminal.type("y\r");
    await terminal.waitForExit();
    return drawScreens("A tool asks in the terminal, and continues with the answers", SIZE.columns, [
      asked,
      terminal.screen(),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The source of book.photon.ts: its block in the page, and the hidden block before it.
 *
 * @param {string} page
 */
function toolIn(page) {
  const [, hidden = "", shown = ""] =
    /(?:^<!-- ts\n([^]*?)^-->\n\s*)?^```ts book\.photon\.ts\n([^]*?)^```/m.exec(page) ?? [];
  if (shown === "") throw new Error("The README shows no book.photon.ts.");
  return `${shown}\n${hidden}`;
}

mkdirSync(dirname(picture), { recursive: true });
writeFileSync(picture, await drawPicture());
