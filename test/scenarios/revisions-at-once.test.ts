/** One endpoint serves clients of every revision at the same time, each as its own revision has it. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { createServer, sessionRevisions, type PhotonServer, type Revision } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../requirements.ts";
import { lastFirst } from "./answers.ts";
import type { Guest } from "./column.ts";
import { dialWebSocket } from "./dial-websocket.ts";
import type { Dialled } from "./dialled.ts";
import { everything, everythingIn } from "./guest.ts";
import { kindsIn, type Kind } from "./kinds.ts";
import { dialModernHttp, dialModernWebSocket } from "./modern-dial.ts";
import { ModernGuest } from "./modern-guest.ts";
import type { Dials } from "./serve-here.ts";
import { SessionGuest } from "./session-guest.ts";
import { dialSse } from "./sse.ts";
import { dialStreamableHttp } from "./streamable-http.ts";
import { cast } from "./tools.mjs";

const overHttp: Dials = { session: dialStreamableHttp, modern: dialModernHttp };
const overWebSocket: Dials = { session: dialWebSocket, modern: dialModernWebSocket };
const overSse: Dials = { session: dialSse };
const ways: readonly (readonly [string, readonly Dials[]])[] = [
  ["Streamable HTTP", [overHttp]],
  ["WebSocket", [overWebSocket]],
  ["SSE and POST", [overSse]],
  ["all three on one port", [overHttp, overWebSocket, overSse]],
];

/** A line whose client offers this revision; the SDK's would offer the newest it knows. */
function offering(revision: Revision, line: Dialled<Transport>): Dialled<Transport> {
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

/** Clients that come in one way: one of each revision with sessions, two of the one without. */
function guestsBy({ session, modern }: Dials, url: string): readonly Guest[] {
  const sessions = sessionRevisions.map(
    (revision) => new SessionGuest(offering(revision, session(url)), everythingIn(revision)),
  );
  if (modern === undefined) return sessions;
  return [...sessions, ...[1, 2].map(() => new ModernGuest(modern(url), everything))];
}

const revisionsBy = ({ modern }: Dials): readonly Revision[] =>
  modern === undefined ? sessionRevisions : [...sessionRevisions, "2026-07-28", "2026-07-28"];

/** How a revision carries a question of this kind. */
function kindIn(revision: Revision, tool: string): Kind {
  const kind = kindsIn({ isSince: (other) => revision >= other }).find((one) => one.tool === tool);
  if (kind === undefined) throw new Error(`No question is asked by ${tool}.`);
  return kind;
}

const tools = kindsIn({ isSince: () => true }).map(({ tool }) => tool);

describe.each(ways)("clients of every revision at once, over %s", (_, dials) => {
  const revisions = dials.flatMap(revisionsBy);
  let guests: readonly { readonly revision: Revision; readonly guest: Guest }[] = [];
  let server: PhotonServer;

  beforeAll(async () => {
    server = createServer(cast({ tell() {}, replace() {} }));
    const { url } = await server.listen();
    guests = dials
      .flatMap((dial) => guestsBy(dial, url))
      .map((guest, index) => ({ guest, revision: revisions[index] ?? "2026-07-28" }));
    await Promise.all(guests.map(({ guest }) => guest.arrive()));
  });

  afterAll(async () => {
    await Promise.all(guests.map(({ guest }) => guest.client.close()));
    await server.close();
  });

  it(verifies("C2", "agree each on its own revision"), () => {
    expect(guests.map(({ guest }) => guest.revision)).toEqual(revisions);
  });

  it.each(tools)(
    verifies(["C2", "C3"], "are asked for a %s each in the form of its own, all before any is answered"),
    async (tool) => {
      const people = lastFirst(guests.length);
      const calling = guests.map(({ revision, guest }) => {
        guest.heard.forget();
        guest.answer = people(() => kindIn(revision, tool).content);
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
        const mode = revision >= "2025-11-25" ? { mode: "form" } : {};
        return { revision, questions: [{ ...mode, message, requestedSchema: schema }], result: { answer } };
      });
      expect(told).toEqual(expected);
    },
  );

  it(
    verifies(["C2", "C6"], "are given each its own answers, the last one that was asked first"),
    async () => {
      const numbers = [1, 2, 3];
      const people = lastFirst(guests.length * numbers.length);

      const results = await Promise.all(
        guests.map(({ guest }, index) => {
          guest.answer = people((message) => ({ value: `${index} to ${message}` }));
          return Promise.all(numbers.map(async (number) => (await guest.call("numbered", { number })).text));
        }),
      );

      expect(results).toEqual(
        guests.map((_guest, index) => numbers.map((number) => `${number}: ${index} to Question ${number}?`)),
      );
      expect(server.parked).toBe(0);
    },
  );

  it(verifies(["C2", "C4"], "are sent to a web address only where its own revision has that"), async () => {
    const can = guests.map(({ revision }) => revision >= "2025-11-25");
    const people = lastFirst(can.filter(Boolean).length);

    const results = await Promise.all(
      guests.map(({ guest }) => {
        guest.heard.forget();
        guest.answer = people(() => undefined);
        return guest.call("url-code");
      }),
    );

    const asked = guests.map(({ guest }) => guest.questions.map(({ mode }) => mode));
    expect(asked).toEqual(can.map((isAble) => (isAble ? ["url"] : [])));
    expect(results.map(({ text }) => text)).toEqual(
      can.map((isAble) => (isAble ? '{"answer":null}' : "ASK_UNSUPPORTED ask-1")),
    );
  });
});
