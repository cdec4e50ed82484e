import type { ConfirmAsk, Reply } from "@photon/core";
import { hear, isYesNoOrReturn } from "../hear.ts";
import { wantedFor } from "../wanted.ts";
import { Words } from "../words.ts";
import { choose } from "./ask-choice.ts";
import type { Field } from "./field.ts";

/** Yes or no. Nobody says yes by pressing enter, unless the author suggested it; never to what is dangerous. */
export function askConfirm(ask: ConfirmAsk, field: Field): Promise<Reply> {
  if (ask.dangerous === true) return askDangerous(ask, field);
  const { scene, isOptional } = field;
  const wording = { ...ask, wanted: wantedFor(ask, isOptional) };
  if (isOptional) {
    const options = [
      { value: true, title: "Yes" },
      { value: false, title: "No" },
    ];
    return choose(wording, options, ask.default, { scene, isOptional });
  }
  const words = new Words(wording, scene, { guided: false });
  return hear(scene, words, { takes: "keys", settles: isYesNoOrReturn }, (streams) =>
    scene.clack.confirm({
      ...streams,
      initialValue: ask.default ?? false,
      get message() {
        return words.now;
      },
    }),
  );
}

/** A yes is a word here, so that no key pressed by mistake is one. Enter alone is no, whatever was suggested. */
async function askDangerous(ask: ConfirmAsk, { scene }: Field): Promise<Reply> {
  const { clack } = scene;
  const wording = {
    ...ask,
    warning: `${clack.S_WARN} This is dangerous.`,
    wanted: "type yes for yes, enter alone is no",
  };
  const words = new Words(wording, scene, { guided: true });
  const reply = await hear(scene, words, { takes: "keys" }, (streams) =>
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
