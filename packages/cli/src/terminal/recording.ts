/**
 * The answers of a run, as a file that gives them again.
 *
 * An answer stands there as it is. Several attempts stand in `$attempts`, an
 * answer that was none in `$action`. A secret is not written down: `$secret`
 * says that there was one.
 */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { OpenQuestion, Reply } from "@photon/core";
import { UsageError } from "../errors.ts";
import { isRecord } from "./is-record.ts";

export class Recording {
  readonly #attempts = new Map<string, unknown[]>();

  add(question: OpenQuestion, reply: Reply): void {
    const written = writtenAs(question, reply);
    if (written === undefined) return;
    this.#attempts.set(question.key, [...(this.#attempts.get(question.key) ?? []), written]);
  }

  get answers(): { readonly [id: string]: unknown } {
    return Object.fromEntries(
      Array.from(this.#attempts, ([key, attempts]) => [
        key,
        attempts.length === 1 ? attempts[0] : { $attempts: attempts },
      ]),
    );
  }

  /** Writes the file, for its owner's eyes: what people answer is their own business. */
  async save(path: string, cwd: string): Promise<void> {
    const text = `${JSON.stringify(this.answers, null, 2)}\n`;
    try {
      const file = await open(resolve(cwd, path), "w", 0o600);
      try {
        // One that was there before may be open to others; a pipe or a device is not ours to close to them.
        if ((await file.stat()).isFile()) await file.chmod(0o600);
        await file.writeFile(text);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new UsageError(`The answers cannot be written to ${path}.`, { cause: error });
    }
  }
}

function writtenAs(question: OpenQuestion, reply: Reply): unknown {
  // The terminal answers these by itself, each time anew.
  if (question.emit !== "ask" || reply.action === "unsupported") return undefined;
  if (reply.action !== "accept") return { $action: reply.action };
  if (question.ask === "secret") return { $secret: "not recorded" };
  if (question.ask === "url") return "done";
  if (question.ask === "file" && isRecord(reply.value)) return reply.value["path"];
  return reply.value;
}
