import type { ConfirmAsk, Reply } from "@photon/core";
import { hear, isReturn } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import { choose } from "./ask-choice.ts";
import type { Field } from "./field.ts";

/** Yes or no. Nobody says yes by pressing enter, unless the author suggested it; never to what is dangerous. */
export function askConfirm(ask: ConfirmAsk, { scene, isOptional }: Field): Promise<Reply> {
  const isDangerous = ask.dangerous === true;
  const warning = isDangerous ? `${scene.clack.S_WARN} This is dangerous.` : undefined;
  const wording = {
    ...ask,
    wanted: wantedFor(ask, isOptional),
    ...(warning === undefined ? {} : { warning }),
  };
  const suggested = isDangerous ? undefined : ask.default;
  if (isOptional) {
    const options = [
      { value: true, title: "Yes" },
      { value: false, title: "No" },
    ];
    return choose(wording, options, suggested, { scene, isOptional });
  }
  const words = new Words(wording, scene, { guided: false });
  return hear(
    scene,
    words,
    (key) => isReturn(key) || key.name === "y" || key.name === "n",
    (streams) =>
      scene.clack.confirm({
        ...streams,
        initialValue: suggested ?? false,
        ...(isDangerous ? { active: scene.terminal.paint.red("Yes"), vertical: true } : {}),
        get message() {
          return words.now;
        },
      }),
  );
}
