/** 2026-07-28: every request stands alone, and says all there is to know of whoever sends it. */
import { recordIn, type Fields } from "../wire/record.ts";
import type { RequestId } from "../wire/message.ts";
import type { ModernClient, Opened } from "./client.ts";
import type { ClientEar } from "./client-ear.ts";
import { CLIENT_INFO, REQUEST_CAPABILITIES } from "./identity.ts";
import type { Answer, Line, LineEar } from "./line.ts";
import { newsIn } from "./news.ts";
import { serverFrom } from "./server-from.ts";

const REVISION = "2026-07-28";
const NAMES = "io.modelcontextprotocol/";

const META: Fields = {
  [`${NAMES}protocolVersion`]: REVISION,
  [`${NAMES}clientInfo`]: CLIENT_INFO,
  [`${NAMES}clientCapabilities`]: REQUEST_CAPABILITIES,
};

const LISTS: Fields = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

export function openModern(line: Line, ear: ClientEar): Opened<ModernClient> {
  const client = modernClient(line, ear);
  return { client, hears: modernEar(line, client, ear) };
}

function modernClient(line: Line, ear: ClientEar): ModernClient {
  const request = (method: string, params: Fields): Promise<Answer> =>
    new Promise((done) => {
      line.request(method, () => ({ ...params, _meta: META }), { done });
    });

  async function greet(): Promise<void> {
    const answer = await request("server/discover", {});
    if (answer.kind === "broken") return ear.failed(answer.problem);
    if (answer.kind === "error")
      return ear.failed(`The server refused the greeting: ${answer.fault.message}`);
    const { result } = answer;
    if (!Array.isArray(result["supportedVersions"]) || !result["supportedVersions"].includes(REVISION))
      return ear.failed(`This server does not speak ${REVISION}.`);
    ear.greeted(
      serverFrom(recordIn(result, "_meta")[`${NAMES}serverInfo`], result),
      recordIn(result, "capabilities"),
    );
    listen();
  }

  /** Hears of changed lists. Over HTTP this is also how one sees that the server has gone. */
  function listen(): void {
    line.request("subscriptions/listen", () => ({ notifications: LISTS, _meta: META }), {
      done: (answer) => {
        // One that cannot be listened to is no worse for it; one that has ended it is going.
        if (answer.kind === "result") ear.lost("The server is closing.");
        if (answer.kind === "broken") ear.lost(answer.problem);
      },
    });
  }

  return {
    revision: REVISION,
    greet: () => void greet(),
    request,
    call: ({ method, params, headers, logger }, continuation, runId, done) =>
      line.request(method, (id) => ({ ...params, ...continuation, _meta: metaOfCall(id) }), {
        runId,
        logger,
        headers,
        done,
      }),
    cancel(requestId, runId) {
      if (line.abandon(requestId)) return;
      const reason = "The person cancelled it.";
      line.notify("notifications/cancelled", { requestId, reason, _meta: META }, runId);
    },
    close: () => line.close(),
    leave: () => line.leave(),
  };
}

const metaOfCall = (id: RequestId): Fields => ({ ...META, progressToken: id, [`${NAMES}logLevel`]: "debug" });

/** What is told to a page that speaks 2026-07-28. Nothing can be asked of it. */
function modernEar(line: Line, client: ModernClient, ear: ClientEar): LineEar {
  return {
    opened: () => client.greet(),
    lost: (problem) => ear.lost(problem),
    refused: (problem) => ear.refused(problem),
    told(method, params, about) {
      if (method.endsWith("/list_changed")) return ear.changed();
      const news = newsIn(method, params);
      const runId = line.runOf(about);
      if (news !== undefined && runId !== undefined) ear.told(runId, news);
    },
    asked: () => {},
  };
}
