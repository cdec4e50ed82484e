/** What pages say beside the question itself. Pure. */
import type { OpenAsk } from "./page.ts";

/** What happens with the answer. */
export function fateOf({ ask }: OpenAsk): string {
  switch (ask) {
    case "secret":
      return "Only the tool gets it. It is not shown to the assistant, it is not written to a log, and this page does not keep it.";
    case "file":
      return "The tool gets the file. It lies in a private temporary folder until the tool has ended, and is then removed.";
    case "url":
      return "The tool is told that you are done. What you do at that address stays between you and that site.";
    case "text":
    case "number":
    case "confirm":
    case "select":
    case "multiselect":
    case "date":
    case "form":
      return "The tool gets your answer, and may use it in what it tells the assistant.";
    default:
      return ask satisfies never;
  }
}

/** What the button says that sends the answer. */
export function sendingOf({ ask }: OpenAsk): string {
  if (ask === "file") return "Upload file";
  return ask === "url" ? "I have done this" : "Send answer";
}

/** A moment as people write it: in the zone of this machine where they sit at it, else in UTC. */
export function spellMoment(time: number, isHere: boolean): string {
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    ...(isHere ? {} : { timeZone: "UTC" }),
  }).format(time);
}

const LONGEST = 20_000;

/** A text that is not endless: whoever wrote it must not fill the page. */
export function bounded(text: string, most: number = LONGEST): string {
  if (text.length <= most) return text;
  const rest = text.length - most;
  return most < LONGEST ? `${text.slice(0, most)}…` : `${text.slice(0, most)}… (${rest} characters more)`;
}
