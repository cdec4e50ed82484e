/** 2025-11-25: a session, in which the server asks as well. */
import { recordIn, textIn, type Fields } from "../wire/record.ts";
import { isRequestId } from "../wire/message.ts";
import type { SessionClient, Opened } from "./client.ts";
import type { ClientEar } from "./client-ear.ts";
import { CLIENT_INFO, SESSION_CAPABILITIES } from "./identity.ts";
import type { Answer, Line, LineEar } from "./line.ts";
import { newsIn } from "./news.ts";
import { serverFrom } from "./server-from.ts";

const REVISION = "2025-11-25";
const METHOD_NOT_FOUND = -32601;

export function openSession(line: Line, ear: ClientEar): Opened<SessionClient> {
  const client = sessionClient(line, ear);
  return { client, hears: sessionEar(line, client, ear) };
}

function sessionClient(line: Line, ear: ClientEar): SessionClient {
  const request = (method: string, params: Fields): Promise<Answer> =>
    new Promise((done) => {
      line.request(method, () => params, { done });
    });

  async function greet(): Promise<void> {
    const answer = await request("initialize", {
      protocolVersion: REVISION,
      capabilities: SESSION_CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    if (answer.kind === "broken") return ear.failed(answer.problem);
    if (answer.kind === "error")
      return ear.failed(`The server refused the greeting: ${answer.fault.message}`);
    const { result } = answer;
    if (result["protocolVersion"] !== REVISION)
      return ear.failed(`This server does not speak ${REVISION}, but ${String(result["protocolVersion"])}.`);
    line.notify("notifications/initialized", {});
    const capabilities = recordIn(result, "capabilities");
    if ("logging" in capabilities) void request("logging/setLevel", { level: "debug" });
    ear.greeted(serverFrom(result["serverInfo"], result), capabilities);
  }

  return {
    revision: REVISION,
    greet: () => void greet(),
    request,
    call: ({ method, params, logger }, runId, done) =>
      line.request(method, (id) => ({ ...params, _meta: { progressToken: id } }), { runId, logger, done }),
    reply: (id, answer) => line.reply(id, answer),
    cancel(requestId, runId) {
      line.abandon(requestId);
      line.notify("notifications/cancelled", { requestId, reason: "The person cancelled it." }, runId);
    },
    close: () => line.close(),
    leave: () => line.leave(),
  };
}

/** What is told to, and asked of, a page on a session. */
function sessionEar(line: Line, client: SessionClient, ear: ClientEar): LineEar {
  return {
    opened: () => client.greet(),
    lost: (problem) => ear.lost(problem),
    refused: (problem) => ear.refused(problem),
    told(method, params, about) {
      if (method.endsWith("/list_changed")) return ear.changed();
      if (method === "notifications/cancelled") {
        const { requestId } = params;
        return isRequestId(requestId) ? ear.withdrawn(requestId) : undefined;
      }
      if (method === "notifications/elicitation/complete")
        return ear.completed(textIn(params, "elicitationId") ?? "");
      const news = newsIn(method, params);
      const runId = line.runOf(about);
      if (news !== undefined && runId !== undefined) ear.told(runId, news);
    },
    asked(requestId, method, params, about) {
      if (method === "ping") return client.reply(requestId, { result: {} });
      const runId = line.runOf(about);
      const isKnown = method === "elicitation/create" || method === "sampling/createMessage";
      if (isKnown && runId !== undefined) return ear.asked(runId, { requestId, method, params });
      const message = isKnown ? "No call of this page is under way." : `This page has no ${method}.`;
      client.reply(requestId, { error: { code: METHOD_NOT_FOUND, message } });
    },
  };
}
