import type { ConfirmAsk, Reply } from "@photon/core";
import { hear, isReturn } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import type { Scene } from "../scene.ts";
import { Words, type Wording } from "../words.ts";
import { choose } from "./ask-choice.ts";
import type { Field } from "./field.ts";

/** Yes or no. Nobody says yes by pressing enter, unless the author suggested it; never to what is dangerous. */
export function askConfirm(ask: ConfirmAsk, field: Field): Promise<Reply> {
  if (ask.dangerous === true) return askDangerous(ask, field);
  const { scene, isOptional } = field;
  if (!isOptional) return askYesNo(ask, ask.default ?? false, scene);
  const options = [
    { value: true, title: "Yes" },
    { value: false, title: "No" },
  ];
  const wording = { ...ask, wanted: wantedFor(ask, isOptional) };
  return choose(wording, options, ask.default, { scene, isOptional, isYesNo: true });
}

/** Yes or no, which is typed, or chosen with the arrows; enter sends it. */
export function askYesNo(wording: Wording, suggested: boolean, scene: Scene): Promise<Reply> {
  const words = new Words({ ...wording, wanted: "type yes or no, then enter" }, scene, { guided: false });
  const yesNo = { options: ["yes", "no"], suggested: suggested ? 0 : 1 };
  return hear(scene, words, { takes: "line", settles: isReturn, yesNo }, (streams) =>
    scene.clack.confirm({
      ...streams,
      initialValue: suggested,
      get message() {
        return words.now;
      },
    }),
  );
}

/** A yes is a typed word here, so that no key pressed by mistake is one. Enter alone is no, whatever was suggested. */
async function askDangerous(ask: ConfirmAsk, { scene }: Field): Promise<Reply> {
  const { clack } = scene;
  const wording = {
    ...ask,
    warning: `${clack.S_WARN} This is dangerous.`,
    wanted: "type yes for yes, enter alone is no",
  };
  const words = new Words(wording, scene, { guided: true });
  const reply = await hear(scene, words, { takes: "word" }, (streams) =>
    clack.text({
      ...streams,
      get message() {
        return words.now;
      },
      validate(line = "") {
        const isWord = /^\s*(?:yes|no?)?\s*$/i.test(line);
        words.isSettled = isWord;
        return isWord ? undefined : 'Type the whole word "yes", or "no".';
      },
    }),
  );
  return reply.action === "accept" ? { action: "accept", value: /yes/i.test(String(reply.value)) } : reply;
}
