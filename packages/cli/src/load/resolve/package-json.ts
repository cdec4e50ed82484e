import { dirname, join } from "node:path";
import { isRecord } from "../is-record.ts";
import { textOf } from "../on-disk.ts";

/** A package.json, and the folder it is in. */
export interface Manifest {
  readonly folder: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The package.json of a folder; nothing where there is none that can be read. */
export function manifestIn(folder: string): Manifest | undefined {
  const text = textOf(join(folder, "package.json"));
  if (text === undefined) return undefined;
  try {
    const fields: unknown = JSON.parse(text);
    return isRecord(fields) ? { folder, fields } : undefined;
  } catch {
    return undefined;
  }
}

/** The package that a file belongs to. */
export function manifestOf(file: string): Manifest | undefined {
  for (const folder of foldersAbove(file)) {
    if (folder.endsWith("node_modules")) return undefined;
    const manifest = manifestIn(folder);
    if (manifest !== undefined) return manifest;
  }
  return undefined;
}

/** The folder of a file, the folder above it, and so on. */
export function foldersAbove(file: string): readonly string[] {
  const folders: string[] = [];
  for (let at = dirname(file); ; at = dirname(at)) {
    folders.push(at);
    if (dirname(at) === at) return folders;
  }
}
