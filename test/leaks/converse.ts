/** A client that calls the tool, sends the person to the page, and answers what else it is asked. */
import { answers, type Fields, type Wire } from "../../packages/server/test/wire/inbox.ts";
import { META, ModernClient, questionsIn } from "../../packages/server/test/wire/modern-client.ts";
import { callOf, type RawClient } from "../../packages/server/test/wire/raw-client.ts";

/** Answers a question on the page at an address. */
export type GoTo = (url: string) => Promise<void>;

export async function converse(client: RawClient | ModernClient, how: string, goTo: GoTo): Promise<Wire> {
  return client instanceof ModernClient ? alone(client, how, goTo) : inSession(client, how, goTo);
}

async function inSession(client: RawClient, how: string, goTo: GoTo): Promise<Wire> {
  const call = client.begin("tools/call", callOf("misuse", { how }, { progressToken: how }));
  for (;;) {
    const heard = await client.inbox.next(
      (message) => answers(call)(message) || message.method === "elicitation/create",
    );
    if (heard.method === undefined) return heard;
    await client.reply(heard, await reply(heard.params ?? {}, goTo));
  }
}

async function alone(client: ModernClient, how: string, goTo: GoTo): Promise<Wire> {
  const meta = { progressToken: how, [META.logLevel]: "debug" };
  let heard = await client.call("misuse", { how }, { meta });
  while (heard.answer.result?.["resultType"] === "input_required") {
    const replies: Record<string, unknown> = {};
    for (const [key, { params = {} }] of Object.entries(questionsIn(heard)))
      replies[key] = await reply(params, goTo);
    heard = await client.retry(heard, replies, { meta });
  }
  return heard.answer;
}

async function reply({ mode, url }: Fields, goTo: GoTo): Promise<Fields> {
  if (mode !== "url") return { action: "accept", content: { value: "yes" } };
  await goTo(String(url));
  return { action: "accept" };
}
