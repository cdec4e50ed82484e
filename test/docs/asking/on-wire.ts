/** What clients are sent of a tool's questions. */
import { overStatelessHttp } from "../../clients/carriers.ts";
import { StatelessClient, questionsIn } from "../../clients/raw-client.ts";
import { acceptValue, cancel, inTurn } from "../../clients/answers.ts";
import { httpV1 } from "../../clients/connections.ts";
import { SdkV1Client } from "../../clients/sdk-v1-client.ts";

const elicitation = { form: {}, url: {} };

/** The parameters of `elicitation/create`, or of each where there are several. */
export async function showOnSession(tool: string, url: string): Promise<string> {
  // The second question comes only after an answer to the first.
  const answer = tool === "all" ? inTurn(acceptValue(2), acceptValue(true)) : cancel;
  const client = new SdkV1Client(httpV1(url), { capabilities: { elicitation }, answer });
  await client.connect();
  await client.call(tool);
  const { questions } = client;
  await client.close();
  return show(questions.length === 1 ? questions[0] : questions);
}

/** The `inputRequests` of the result. */
export async function showOnExchange(tool: string, url: string): Promise<string> {
  return show(questionsIn(await new StatelessClient(overStatelessHttp(url), { elicitation }).call(tool)));
}

/** With what is another each time left out. */
function show(asked: unknown): string {
  return JSON.stringify(asked)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/ask\/[\w-]+/g, "http://127.0.0.1:3001/ask/…")
    .replaceAll(/"elicitationId":"[^"]+"/g, '"elicitationId":"…"');
}
