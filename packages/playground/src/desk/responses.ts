/** Answers as MCP spells them. Pure. */
import type { Fields } from "../wire/record.ts";
import type { Answer, Question } from "./question.ts";

/** Nothing, where the protocol has no way to say it: nobody can refuse to speak for a model in an answer. */
export function responseTo({ wanted }: Question, answer: Answer): Fields | undefined {
  if (wanted.by === "sample") {
    if (answer.action !== "accept") return undefined;
    const text = answer.content?.["text"];
    return {
      role: "assistant",
      content: { type: "text", text: typeof text === "string" ? text : "" },
      model: "a person",
    };
  }
  if (answer.action !== "accept" || wanted.by === "url") return { action: answer.action };
  return { action: "accept", content: answer.content ?? {} };
}
