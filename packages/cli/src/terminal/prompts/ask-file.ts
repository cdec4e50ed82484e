import { sep } from "node:path";
import type { FileAsk, Reply } from "@photon/core";
import { fileAt } from "../file-answer.ts";
import { hear } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import type { Field } from "./field.ts";

/** The path of a file, completed while it is typed, and looked at before it is sent. */
export async function askFile(ask: FileAsk, { scene }: Field): Promise<Reply> {
  const { cwd } = scene.terminal;
  const words = new Words({ ...ask, wanted: wantedFor(ask, false) }, scene, { guided: true });
  const reply = await hear(scene, words, { takes: "line" }, (streams) =>
    scene.clack.path({
      ...streams,
      initialValue: cwd.endsWith(sep) ? cwd : `${cwd}${sep}`,
      // Drawn by its `toString`.
      message: words as unknown as string,
      async validate(path = "") {
        const found = await fileAt(path, ask, cwd);
        return "problem" in found ? found.problem : undefined;
      },
    }),
  );
  if (reply.action !== "accept") return reply;
  const found = await fileAt(String(reply.value), ask, cwd);
  return { action: "accept", value: "problem" in found ? undefined : found.value };
}
