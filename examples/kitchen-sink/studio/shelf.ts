/** The shelf: the folder with the studio's recordings. A new one contains two takes and a test tone. */
import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";
import { melody, tone } from "./tones.ts";
import { decodeWave, encodeWave } from "./wave.ts";
import { writeAtomically } from "./write-atomically.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9 _-]{0,59}\.[a-z]{2,4}$/;

const INITIAL_FILES: Readonly<Record<string, () => Int16Array>> = {
  "take-1.wav": () => melody([0, 4, 7, 12], 0.25),
  "take-2.wav": () => melody([12, 7, 4, 0], 0.25),
  // Eight parts, from silence to full scale.
  "test-tone.wav": () => tone(1000, 1, (at) => Math.floor(at * 8) / 7),
};

/** The path of the shelf, which is created at first. */
async function shelfFolder(): Promise<string> {
  const folder = join(dataFolder(), "shelf");
  if (!(await exists(folder))) await createShelf(folder);
  return folder;
}

/** Creates the folder in one step, by a rename, unless another process has created it meanwhile. */
async function createShelf(folder: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  for (const [name, sound] of Object.entries(INITIAL_FILES))
    await writeAtomically(join(draft, name), encodeWave(sound()));
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!(await exists(folder))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The names of the files, sorted. */
export async function listShelf(): Promise<readonly string[]> {
  const names = await readdir(await shelfFolder());
  return names.filter((name) => NAME.test(name)).toSorted();
}

export async function isOnShelf(name: string): Promise<boolean> {
  return (await listShelf()).includes(name);
}

export async function readFromShelf(name: string): Promise<Buffer> {
  return readFile(await pathOf(name));
}

/** The samples of a recording. */
export async function readSamples(name: string): Promise<Int16Array> {
  return decodeWave(await readFromShelf(name));
}

export async function writeToShelf(name: string, content: Uint8Array): Promise<void> {
  await writeAtomically(join(await shelfFolder(), checkedName(name)), content);
}

export async function renameOnShelf(name: string, other: string): Promise<void> {
  if (name === other) return;
  if (await isOnShelf(other)) throw new Error(`There is a ${other} already.`);
  await rename(await pathOf(name), join(await shelfFolder(), checkedName(other)));
}

export async function removeFromShelf(name: string): Promise<void> {
  await rm(await pathOf(name));
}

/** The folder for recordings that are not finished. */
export async function draftsFolder(): Promise<string> {
  const folder = join(dataFolder(), "drafts");
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Moves a finished recording to the shelf. */
export async function moveToShelf(path: string, name: string): Promise<void> {
  await rename(path, join(await shelfFolder(), checkedName(name)));
}

async function pathOf(name: string): Promise<string> {
  const path = join(await shelfFolder(), checkedName(name));
  if (await exists(path)) return path;
  throw new Error(`There is no ${name} on the shelf; there is ${(await listShelf()).join(", ")}.`);
}

/** Throws unless the name is a plain file name, which cannot lead to another folder. */
function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is not a valid file name. Use a name like "take-1.wav".`);
}
