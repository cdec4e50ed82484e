/** What clients are sent of a tool's questions. */
import { ModernClient, questionsIn } from "../../../packages/server/test/wire/modern-client.ts";
import { overPosts } from "../../../packages/server/test/wire/modern-ways.ts";
import { accept, cancel, inTurn } from "../../scenarios/answers.ts";
import { SessionGuest } from "../../scenarios/session-guest.ts";
import { dialStreamableHttp } from "../../scenarios/streamable-http.ts";

const elicitation = { form: {}, url: {} };

/** The parameters of `elicitation/create`, or of each where there are several. */
export async function showOnSession(tool: string, url: string): Promise<string> {
  const guest = new SessionGuest(dialStreamableHttp(url), { elicitation });
  // What is asked for after that is not to be had without an answer.
  guest.answer = tool === "all" ? inTurn(accept({ value: 2 }), accept({ value: true })) : cancel;
  await guest.arrive();
  await guest.call(tool);
  const { questions } = guest;
  await guest.client.close();
  return show(questions.length === 1 ? questions[0] : questions);
}

/** The `inputRequests` of the result. */
export async function showOnExchange(tool: string, url: string): Promise<string> {
  return show(questionsIn(await new ModernClient(overPosts(url), { elicitation }).call(tool)));
}

/** With what is another each time left out. */
function show(asked: unknown): string {
  return JSON.stringify(asked)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/ask\/[\w-]+/g, "http://127.0.0.1:3001/ask/…")
    .replaceAll(/"elicitationId":"[^"]+"/g, '"elicitationId":"…"');
}
