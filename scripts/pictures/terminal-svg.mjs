/**
 * Makes docs/images/terminal.svg: the tool at the top of the README, run by `photon run` in a real terminal, while it
 * asks and after it was answered. Nothing in it is drawn by hand; the same README gives the same picture.
 *
 * Usage: npm run build && node scripts/pictures/terminal-svg.mjs
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drawScreens } from "./draw-screens.mjs";
import { Recording } from "./recording.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const picture = join(root, "docs/images/terminal.svg");

const SIZE = { columns: 48, rows: 18 };
const TYPED = "npx photon run book --city Rome";

/** The picture, as it comes out today. */
async function makePicture() {
  // Within the repository, where packages are found; and in a folder that git passes over.
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist/picture-"));
  try {
    writeFileSync(join(folder, "book.photon.ts"), toolIn(readFileSync(join(root, "README.md"), "utf8")));
    const photon = join(root, "packages/cli/bin/photon.js");
    const words = TYPED.replace("npx photon", `'${process.execPath}' '${photon}'`);
    const recording = new Recording(`printf '$ %s\\n' '${TYPED}' && exec ${words}`, { ...SIZE, cwd: folder });
    await recording.shows("◆  How many nights?");
    recording.type("3");
    await recording.shows("3█");
    recording.type("\r");
    await recording.shows("● Single");
    recording.type("\u001B[B");
    await recording.shows("● Double");
    const asked = recording.screen();
    recording.type("\r");
    await recording.shows("◆  Book it for 3 nights?");
    recording.type("y\r");
    await recording.end();
    return drawScreens("A tool asks in the terminal, and continues with the answers", SIZE.columns, [
      asked,
      recording.screen(),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The first block of a page that is a tool's file, with what readers need not see of it.
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
writeFileSync(picture, await makePicture());
