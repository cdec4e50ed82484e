/** `ask.file`: an uploaded file, or the path of one on disk. */
import type { Verdict } from "../../schema/validator.ts";
import { describeValue } from "../../util/describe-value.ts";
import { isPlainObject } from "../../util/json.ts";
import { fromBase64 } from "../../util/platform.ts";
import type { AskBase, AskKindDescriptor } from "../ask-kind.ts";

/** An uploaded file, or the path of one on disk. */
export type FileAnswer = { readonly name: string; readonly type: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly path: string }
);

/** Asks the user for a file. */
export interface FileAsk extends Omit<AskBase<"file", FileAnswer>, "default"> {
  /** Media types (`image/png`, `image/*`) or endings (`.pdf`). */
  readonly accept?: readonly string[];
  readonly maxBytes?: number;
}

export const file: AskKindDescriptor<FileAsk, FileAnswer> = {
  kind: "file",
  options: { accept: true, maxBytes: true },
  checkOptions({ accept, maxBytes }: { readonly accept?: readonly unknown[]; readonly maxBytes?: unknown }) {
    if (accept !== undefined && (!Array.isArray(accept) || accept.length === 0))
      return "it accepts no kind of file";
    for (const type of accept ?? [])
      if (typeof type !== "string") return `it accepts ${describeValue(type)}; give media types and endings`;
    const isSize = maxBytes === undefined || (typeof maxBytes === "number" && maxBytes > 0);
    return isSize ? undefined : `its maxBytes is ${describeValue(maxBytes)}; give a number above 0`;
  },
  answerSchema: () => ({ type: "object" }),
  checkAnswer: checkFile,
  expectedAnswer: ({ accept, maxBytes }) => [
    accept?.join(" or "),
    maxBytes === undefined ? undefined : `at most ${describeSize(maxBytes)}`,
  ],
};

/** "5 MB", "1 byte". */
export function describeSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? "" : "s"}`;
  const units = ["kB", "MB", "GB"];
  let amount = bytes / 1000;
  for (; amount >= 1000 && units.length > 1; amount /= 1000) units.shift();
  return `${amount.toFixed(1).replace(/\.0$/, "")} ${units[0]}`;
}

function checkFile(ask: FileAsk, value: unknown): Verdict<FileAnswer> {
  if (value === undefined) return { problem: "needs a file" };
  if (!isPlainObject(value))
    return { problem: "must be a file: { name, type, path } or { name, type, bytes }" };
  const { name, type = "application/octet-stream", path, bytes, base64 } = value;
  if (typeof name !== "string" || name === "" || typeof type !== "string")
    return { problem: "must be a file with a name" };
  if (!isAccepted(ask.accept, name, type)) return { problem: `must be of type ${ask.accept?.join(", ")}` };
  if (typeof path === "string" && path !== "") return { value: { name, type, path } };
  const encoded = bytes ?? base64;
  const content =
    encoded instanceof Uint8Array ? encoded : typeof encoded === "string" ? fromBase64(encoded) : undefined;
  if (content === undefined) return { problem: "must be a file with a path or with bytes" };
  if (ask.maxBytes !== undefined && content.length > ask.maxBytes)
    return { problem: `must have at most ${ask.maxBytes} bytes` };
  return { value: { name, type, bytes: content } };
}

function isAccepted(accept: readonly string[] | undefined, name: string, type: string): boolean {
  if (accept === undefined) return true;
  return accept.some((one) => {
    const wanted = one.toLowerCase();
    if (wanted.startsWith(".")) return name.toLowerCase().endsWith(wanted);
    // A type may have parameters: `text/plain;charset=utf-8`.
    const actual = type.toLowerCase().replace(/\s*;.*$/, "");
    return (
      wanted === "*/*" ||
      wanted === actual ||
      (wanted.endsWith("/*") && actual.startsWith(wanted.slice(0, -1)))
    );
  });
}
