/**
 * Something to be done at a web address.
 *
 * The whole address is shown before anything is opened, and it is opened only
 * for who says so. The question is answered once the person says it is done.
 */
import type { Reply, UrlAsk } from "@photon/core";
import { cleanText } from "../clean-text.ts";
import { choose } from "./ask-choice.ts";
import { askYesNo } from "./ask-confirm.ts";
import type { Field } from "./field.ts";

export async function askUrl(ask: UrlAsk, { scene }: Field): Promise<Reply> {
  const { clack, terminal } = scene;
  const { output, paint } = terminal;
  // As a browser takes it: what looks like another host is spelled out.
  const { href, host } = new URL(ask.url);
  const about = ask.description === undefined ? [] : [paint.dim(cleanText(ask.description))];
  // On a line of its own and unbroken, so that it can be read and copied whole.
  clack.log.step([cleanText(ask.message), ...about, paint.cyan(href)].join("\n"), { output });
  const opening = await askYesNo({ message: `Open it? (${host})` }, false, scene);
  if (opening.action !== "accept") return opening;
  if (opening.value === true && !(await terminal.open(href)))
    clack.log.warn("There is nothing here that opens it: copy the address into a browser.", { output });
  const options = [
    { value: "done", title: "It is done" },
    { value: "decline", title: "Decline" },
  ];
  const done = await choose({ message: "Is it done there?" }, options, "done", { scene, isOptional: false });
  if (done.action !== "accept") return done;
  return { action: done.value === "decline" ? "decline" : "accept" };
}
