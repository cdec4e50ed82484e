import { expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { declinePage } from "../secrets/person.ts";
import { listening } from "../wire/servers.ts";
import { overWebSocket } from "../../../../test/clients/carriers.ts";
import { callOf } from "../../../../test/clients/raw-client.ts";
import { greet } from "../wire/tools.ts";

it(
  verifies(
    ["B1", "B10"],
    "a no that a person gave on a page is theirs: it comes without a word of their client",
  ),
  async () => {
    const { url } = await listening({
      tools: [greet],
      whenUnsupported: "page",
      distrust: true,
      report() {},
    });
    const client = await overWebSocket(url);
    await client.initialize();
    for (let at = 0; at < 3; at++) {
      const call = client.begin("tools/call", callOf("greet"));
      await client.reply(await client.receive(), { action: "decline" });
      await client.answerTo(call);
    }
    const handed = JSON.stringify(await client.callTool("greet"));
    const [link = ""] = /http[^\s"\\]+\/ask\/[^\s"\\]+/.exec(handed) ?? [];
    const [, run] = /\{\\"run\\":\\"([^"\\]+)/.exec(handed) ?? [];
    await declinePage(link);

    const { result } = await client.callTool("photon_continue", { run });

    expect(result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: 'The person declined to answer "Name?" (ask-1).' }],
    });
  },
);
