import type { Round } from "@photon/core";
import { asksIn, type OpenAsk } from "../pages/page.ts";
import { pagesInWords, questionsInWords } from "./words.ts";

/** What is asked, and how; and by what name the model goes on with it. */
interface Asked {
  readonly way: "page" | "relay";
  readonly tool: string;
  readonly round: Round;
  readonly name: string;
}

/** What a model is told of questions that its client cannot show. `urlOf` has a page for each. */
export async function inWords(
  { way, tool, round, name }: Asked,
  urlOf: (question: OpenAsk) => Promise<string>,
  problem?: string,
): Promise<string> {
  if (way === "relay") return questionsInWords(tool, round, name, problem);
  const links = asksIn(round).map(async (question) => [question.message, await urlOf(question)] as const);
  return pagesInWords(tool, await Promise.all(links), name);
}
