/** How the requests of a raw client of 2026-07-28 are carried: over HTTP, and on a line. */
import { once } from "node:events";
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { onTestFinished } from "vitest";
import type { ServerOptions } from "../../src/index.ts";
import { Inbox, type Fields, type Wire } from "./inbox.ts";
import { META, ModernClient, type Back, type Headers, type Way } from "./modern-client.ts";
import type { RawClient } from "./raw-client.ts";
import { listening, stages } from "./stages.ts";

/** Where the name of what is called stands. */
const NAMES: Headers = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** The headers that a request has to have. */
export function headersFor({ method = "", params = {} }: Wire): Headers {
  const name = params[NAMES[method] ?? ""];
  const version = (params["_meta"] as Fields | undefined)?.[META.version];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": typeof version === "string" ? version : "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": inHeader(name) } : {}),
  };
}

/** A text as a header can hold it. */
export const inHeader = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** Over HTTP, with more headers than a request has to have, and from a network address. */
export function overPosts(url: string, more: Headers = {}, localAddress?: string): Way {
  const agent = new Agent({ keepAlive: true, ...(localAddress !== undefined && { localAddress }) });
  onTestFinished(() => agent.destroy());
  return {
    begin(message, headers, spell = JSON.stringify) {
      const request = httpRequest(`${url}/mcp`, {
        method: "POST",
        agent,
        headers: present({ ...headersFor(message), ...more, ...headers }),
      });
      request.end(spell(message));
      const inbox = new Inbox();
      return { id: message.id, inbox, heard: answerTo(request, inbox), leave: () => leave(request) };
    },
    async hangUp() {
      agent.destroy();
    },
  };
}

export const present = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));

async function leave(request: ClientRequest): Promise<void> {
  const closed = new Promise((resolve) => {
    request.once("close", resolve);
  });
  request.on("error", () => {});
  request.destroy();
  if (!request.closed) await closed;
}

async function answerTo(request: ClientRequest, inbox: Inbox): Promise<Back> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { statusCode = 0, headers } = response;
  const isStream = headers["content-type"] === "text/event-stream";
  const parser = createParser({ onEvent: ({ data }) => inbox.push(JSON.parse(data)) });
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response as AsyncIterable<string>) {
    if (isStream) parser.feed(chunk);
    else text += chunk;
  }
  if (!isStream && text !== "") inbox.push(JSON.parse(text));
  const messages = inbox.all as readonly Wire[];
  const answer = messages.at(-1) ?? {};
  return { answer, told: messages.slice(0, -1), status: statusCode, headers };
}

/** On a line that may carry other things, too. */
export function onLine(line: RawClient): Way {
  return {
    begin(message, _, spell = JSON.stringify) {
      const { id } = message;
      const from = line.inbox.all.length;
      void line.sendText(spell(message));
      const heard = line.answerTo(id).then((answer) => {
        const messages = line.inbox.all.slice(from) as readonly Wire[];
        const told = messages.slice(0, messages.indexOf(answer)).filter(({ method }) => method !== undefined);
        return { answer, told };
      });
      return {
        id,
        inbox: line.inbox,
        heard,
        leave: () => line.notify("notifications/cancelled", { requestId: id }),
      };
    },
    hangUp: () => line.hangUp(),
  };
}

export interface ModernStage {
  readonly server: Awaited<ReturnType<typeof listening>>["server"];
  readonly connect: (can?: Fields) => Promise<ModernClient>;
}

type SetModernStage = (options: ServerOptions) => Promise<ModernStage>;

const onLines =
  (set: (typeof stages)["stdio"]): SetModernStage =>
  async (options) => {
    const { server, connect } = await set(options);
    return { server, connect: async (can) => new ModernClient(onLine(await connect()), can) };
  };

/** A server on each transport that 2026-07-28 is spoken on. */
export const modernStages: {
  readonly [name in "stdio" | "websocket" | "streamable http"]: SetModernStage;
} = {
  stdio: onLines(stages.stdio),
  websocket: onLines(stages.websocket),
  "streamable http": async (options) => {
    const { server, url } = await listening(options);
    return { server, connect: async (can) => new ModernClient(overPosts(url), can) };
  },
};

/** A server over HTTP, and a client of it. */
export async function atHome(
  options: ServerOptions,
  can?: Fields,
): Promise<{
  readonly server: ModernStage["server"];
  readonly url: string;
  readonly client: ModernClient;
}> {
  const { server, url } = await listening(options);
  return { server, url, client: new ModernClient(overPosts(url), can) };
}
