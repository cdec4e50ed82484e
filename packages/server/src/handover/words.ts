/** What a model is told where its client cannot show a question: in words, for it to act on. Pure. */
import type { OpenAsk } from "../pages/page.ts";
import type { Wire } from "../jsonrpc/messages.ts";

/** The tools that go on with a call that was handed over. */
export const CONTINUE = "photon_continue";
export const ANSWER = "photon_answer";

/** What a model goes on by with a run that a store keeps: the run, and where it stood when the model was told. */
export const nameAt = (run: string, length: number): string => `${run}.${length}`;

/** The same, read. */
export function placeIn(name: string): { readonly run: string; readonly length: number } | undefined {
  const [, run, length] = /^(.+)\.(\d{1,9})$/s.exec(name) ?? [];
  return run === undefined ? undefined : { run, length: Number(length) };
}

/** What a model goes on by with a run that only one of several processes knows. */
export const nameOnly = (run: string, process: string): string => `${run}@${process}`;

/** The process in such a name, and the run. */
export function ownerIn(name: string): { readonly run: string; readonly process: string | undefined } {
  const at = name.lastIndexOf("@");
  return at < 0 ? { run: name, process: undefined } : { run: name.slice(0, at), process: name.slice(at + 1) };
}

/** Of a call that only another process knows. */
export const elsewhere = (isAlive: boolean): string =>
  isAlive
    ? "That call waits in another process of this server, which alone knows it: its tool is not durable. It cannot be gone on with from here; call the tool again from the start."
    : "That call was known to another process of this server only, since its tool is not durable. That process has ended, and the call with it; call the tool again from the start.";

/** Of a question that waits for its page. */
export const ONLY_THERE: string = `This is answered by the person themselves, on the page they were given, and nowhere else. Call the tool ${CONTINUE} when they say that they have.`;

/** Where there is nothing of that name for whoever calls. */
export const NO_CALL = "No call waits under that run. It may be over; call the tool again from the start.";

export const said = (text: string): Wire => ({ content: [{ type: "text", text }] });

export const failed = (text: string): Wire => ({ ...said(text), isError: true });

/** Why a question, or its answer, must not pass through the words of a model, as a phrase; nothing, where it may. */
export function whyUnspeakable(question: OpenAsk): string | undefined {
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  if (isDangerous) return "a yes to what is dangerous never passes through a model";
  const isForPage = question.ask === "secret" || question.ask === "file";
  return isForPage ? `a ${question.ask} never passes through a model` : undefined;
}
