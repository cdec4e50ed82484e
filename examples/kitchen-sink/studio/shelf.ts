/** The shelf: what the studio has recorded and made, as files. A new studio finds two takes and a test tone on it. */
import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";
import { melody, tone } from "./tones.ts";
import { decodeWave, encodeWave } from "./wave.ts";
import { writeSafely } from "./write-safely.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9 _-]{0,59}\.[a-z]{2,4}$/;

const found: Readonly<Record<string, () => Int16Array>> = {
  "take-1.wav": () => melody([0, 4, 7, 12], 0.25),
  "take-2.wav": () => melody([12, 7, 4, 0], 0.25),
  // From silence to the loudest there is, in eight parts.
  "test-tone.wav": () => tone(1000, 1, (at) => Math.floor(at * 8) / 7),
};

/** Where it is. */
async function shelf(): Promise<string> {
  const folder = join(dataFolder(), "shelf");
  if (!(await isThere(folder))) await furnish(folder);
  return folder;
}

/** Puts a whole shelf in its place, unless somebody else was faster. */
async function furnish(folder: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  for (const [name, sound] of Object.entries(found))
    await writeSafely(join(draft, name), encodeWave(sound()));
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!(await isThere(folder))) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The names of everything on it, in order. */
export async function listShelf(): Promise<readonly string[]> {
  const names = await readdir(await shelf());
  return names.filter((name) => NAME.test(name)).toSorted();
}

export async function isOnShelf(name: string): Promise<boolean> {
  return (await listShelf()).includes(name);
}

export async function takeFromShelf(name: string): Promise<Buffer> {
  return readFile(await placeOf(name));
}

/** The samples of a recording. */
export async function listenTo(name: string): Promise<Int16Array> {
  return decodeWave(await takeFromShelf(name));
}

export async function putOnShelf(name: string, content: Uint8Array): Promise<void> {
  await writeSafely(join(await shelf(), checked(name)), content);
}

export async function renameOnShelf(name: string, other: string): Promise<void> {
  if (name === other) return;
  if (await isOnShelf(other)) throw new Error(`There is a ${other} already.`);
  await rename(await placeOf(name), join(await shelf(), checked(other)));
}

export async function removeFromShelf(name: string): Promise<void> {
  await rm(await placeOf(name));
}

/** A folder beside the shelf for what is not done yet. */
export async function workbench(): Promise<string> {
  const folder = join(dataFolder(), "workbench");
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Takes what was made at the workbench to the shelf. */
export async function shelve(path: string, name: string): Promise<void> {
  await rename(path, join(await shelf(), checked(name)));
}

async function placeOf(name: string): Promise<string> {
  const path = join(await shelf(), checked(name));
  if (await isThere(path)) return path;
  throw new Error(`There is no ${name} on the shelf; there is ${(await listShelf()).join(", ")}.`);
}

/** A name that leads nowhere else. */
function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is no name for a file; write it like "take-1.wav".`);
}
