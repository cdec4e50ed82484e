/** One endpoint serves clients of every revision at the same time, each as its own revision has it. */
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { createServer, sessionRevisions, type PhotonServer, type Revision } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import type { Answer } from "./answers.ts";
import type { Dialled } from "./column.ts";
import { dialWebSocket } from "./dial-websocket.ts";
import { everything, Guest } from "./guest.ts";
import { kindsIn, type Kind } from "./kinds.ts";
import { dialSse } from "./sse.ts";
import { dialStreamableHttp } from "./streamable-http.ts";
import { cast } from "./tools.mjs";

const dials = [dialStreamableHttp, dialWebSocket, dialSse];
const ways: readonly (readonly [string, readonly ((url: string) => Dialled)[]])[] = [
  ["Streamable HTTP", [dialStreamableHttp]],
  ["WebSocket", [dialWebSocket]],
  ["SSE and POST", [dialSse]],
  ["all three on one port", dials],
];

/** A line whose client offers this revision; the SDK's would offer the newest it knows. */
function offering(revision: Revision, line: Dialled): Dialled {
  const { transport } = line;
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) =>
    send(
      "method" in message && message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion: revision } }
        : message,
      options,
    );
  return line;
}

/** People who all wait with their answers until so many were asked. */
function patientPeople(count: number): (content: Kind["content"]) => Answer {
  const answers: (() => void)[] = [];
  return (content) => () =>
    new Promise((resolve) => {
      answers.push(() => resolve({ action: "accept", ...(content === undefined ? {} : { content }) }));
      if (answers.length === count) for (const give of answers) give();
    });
}

/** How a revision carries a question of this kind. */
function kindIn(revision: Revision, tool: string): Kind {
  const kind = kindsIn({ isSince: (other) => revision >= other }).find((one) => one.tool === tool);
  if (kind === undefined) throw new Error(`No question is asked by ${tool}.`);
  return kind;
}

const tools = kindsIn({ isSince: () => true }).map(({ tool }) => tool);

describe.each(ways)("clients of every revision at once, over %s", (_, dialled) => {
  const guests: { readonly revision: Revision; readonly guest: Guest }[] = [];
  let server: PhotonServer;

  beforeAll(async () => {
    server = createServer(cast({ tell() {}, replace() {} }));
    const { url } = await server.listen();
    for (const revision of sessionRevisions)
      for (const dial of dialled)
        guests.push({ revision, guest: new Guest(offering(revision, dial(url)), everything) });
    await Promise.all(guests.map(({ guest }) => guest.arrive()));
  });

  afterAll(async () => {
    await Promise.all(guests.map(({ guest }) => guest.client.close()));
    await server.close();
  });

  it(verifies("C2", "agree each on the revision it offered"), () => {
    expect(guests.map(({ guest }) => guest.revision)).toEqual(guests.map(({ revision }) => revision));
    expect(server.sessions).toBe(sessionRevisions.length * dialled.length);
  });

  it.each(tools)(
    verifies(["C2", "C3"], "are asked for a %s each in the form of its own, all before any is answered"),
    async (tool) => {
      const answering = patientPeople(guests.length);
      const calling = guests.map(({ revision, guest }) => {
        guest.heard.forget();
        guest.answer = answering(kindIn(revision, tool).content);
        return guest.call(tool);
      });

      const results = await Promise.all(calling);

      const told = guests.map(({ revision, guest: { questions } }, index) => ({
        revision,
        questions,
        result: JSON.parse(results[index]?.text ?? "") as unknown,
      }));
      const expected = guests.map(({ revision }) => {
        const { message, schema, answer } = kindIn(revision, tool);
        const mode = revision === "2025-11-25" ? { mode: "form" } : {};
        return { revision, questions: [{ ...mode, message, requestedSchema: schema }], result: { answer } };
      });
      expect(told).toEqual(expected);
    },
  );

  it(verifies(["C2", "C4"], "are sent to a web address only where its own revision has that"), async () => {
    const answering = patientPeople(dialled.length);

    const results = await Promise.all(
      guests.map(({ guest }) => {
        guest.heard.forget();
        guest.answer = answering(undefined);
        return guest.call("url-code");
      }),
    );

    const asked = guests.map(({ guest }) => guest.questions.map(({ mode }) => mode));
    const can = guests.map(({ revision }) => revision === "2025-11-25");
    expect(asked).toEqual(can.map((isAble) => (isAble ? ["url"] : [])));
    expect(results.map(({ text }) => text)).toEqual(
      can.map((isAble) => (isAble ? '{"answer":null}' : "ASK_UNSUPPORTED ask-1")),
    );
  });
});
