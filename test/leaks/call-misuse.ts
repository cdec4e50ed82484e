/** Calls the tool, answers its secrets on the page, and its other questions in the client. */
import { type Fields, type Message, isResponseTo } from "../clients/messages.ts";
import { META, StatelessClient, type RawClient, callOf, questionsIn } from "../clients/raw-client.ts";

/** Answers a question on the page at a URL. */
export type GoTo = (url: string) => Promise<void>;

export async function callAndAnswer(
  client: RawClient | StatelessClient,
  how: string,
  goTo: GoTo,
): Promise<Message> {
  return client instanceof StatelessClient ? alone(client, how, goTo) : inSession(client, how, goTo);
}

async function inSession(client: RawClient, how: string, goTo: GoTo): Promise<Message> {
  const call = client.begin("tools/call", callOf("misuse", { how }, { progressToken: how }));
  for (;;) {
    const received = await client.messages.next(
      (message) => isResponseTo(call)(message) || message.method === "elicitation/create",
    );
    if (received.method === undefined) return received;
    await client.reply(received, await reply(received.params ?? {}, goTo));
  }
}

async function alone(client: StatelessClient, how: string, goTo: GoTo): Promise<Message> {
  const meta = { progressToken: how, [META.logLevel]: "debug" };
  let received = await client.call("misuse", { how }, { meta });
  while (received.answer.result?.["resultType"] === "input_required") {
    const replies: Record<string, unknown> = {};
    for (const [key, { params = {} }] of Object.entries(questionsIn(received)))
      replies[key] = await reply(params, goTo);
    received = await client.retry(received, replies, { meta });
  }
  return received.answer;
}

async function reply({ mode, url }: Fields, goTo: GoTo): Promise<Fields> {
  if (mode !== "url") return { action: "accept", content: { value: "yes" } };
  await goTo(String(url));
  return { action: "accept" };
}
