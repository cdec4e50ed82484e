/** Holds the write lock of a SQLite file for a while, and prints a line when it has it. Usage: node lock-file.mjs <file> <milliseconds> */
import { setTimeout as pause } from "node:timers/promises";
import Database from "libsql";

const [, , path = "", milliseconds = "0"] = process.argv;
const database = new Database(path, { timeout: 5000 });
database.exec("BEGIN IMMEDIATE");
process.stdout.write("locked\n");
await pause(Number(milliseconds));
database.exec("ROLLBACK");
database.close();
