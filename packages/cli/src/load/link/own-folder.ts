/** Folders that only this user can write to: what is in them is run. */
import { accessSync, constants, mkdirSync, statSync } from "node:fs";

/** Makes the folder; whether it can be written to, and by nobody else. */
export function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const isMine = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (!isMine) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
