/** One port serves clients of every revision over every network transport at the same time. */
import { createServer, sessionRevisions, type PhotonServer, type Revision } from "@photon/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastFirst } from "../clients/answers.ts";
import { allCapabilitiesIn } from "../clients/sdk-client.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { verifies } from "../requirements.ts";
import { kindsIn, type Kind } from "./kinds.ts";
import {
  httpConnections,
  sseConnections,
  webSocketConnections,
  type NetworkConnections,
} from "./network-transports.ts";
import { createDefinitions } from "./tools.mjs";
import type { ScenarioClient } from "./transport.ts";

interface ConnectedClient {
  readonly revision: Revision;
  readonly client: ScenarioClient;
}

/** One client of each revision with sessions, and two of 2026-07-28. */
async function connectAll({ v1, v2 }: NetworkConnections, url: string): Promise<readonly ConnectedClient[]> {
  const sessions = sessionRevisions.map(async (revision) => {
    const client = new SdkV1Client(v1(url), { capabilities: allCapabilitiesIn(revision) });
    await client.connect(revision);
    return { revision, client };
  });
  const stateless = (v2 === undefined ? [] : [v2, v2]).map(async (open) => {
    const client = new SdkV2Client(open(url));
    await client.connect();
    return { revision: "2026-07-28" as const, client };
  });
  return Promise.all([...sessions, ...stateless]);
}

/** How a revision carries a question of this kind. */
function kindIn(revision: Revision, tool: string): Kind {
  const kind = kindsIn({ isSince: (other) => revision >= other }).find((one) => one.tool === tool);
  if (kind === undefined) throw new Error(`${tool} asks no question.`);
  return kind;
}

const tools = kindsIn({ isSince: () => true }).map(({ tool }) => tool);

describe("clients of every revision over every network transport, on one port at once", () => {
  let connected: readonly ConnectedClient[] = [];
  let server: PhotonServer;

  beforeAll(async () => {
    server = createServer(createDefinitions({ log() {}, replace() {} }));
    const { url } = await server.listen();
    const all = [httpConnections, webSocketConnections, sseConnections];
    connected = (await Promise.all(all.map((connections) => connectAll(connections, url)))).flat();
  });

  afterAll(async () => {
    await Promise.all(connected.map(({ client }) => client.close()));
    await server.close();
  });

  it(verifies("C2", "agree each on the revision that they offer"), () => {
    expect(connected.map(({ client }) => client.revision)).toEqual(connected.map(({ revision }) => revision));
  });

  it.each(tools)(
    verifies(["C2", "C3"], "are asked by ask.%s each in the form of their revision, before any has answered"),
    async (tool) => {
      const answerLastFirst = lastFirst(connected.length);
      const calling = connected.map(({ revision, client }) => {
        client.received.clear();
        client.answer = answerLastFirst(() => kindIn(revision, tool).content);
        return client.call(tool);
      });

      const results = await Promise.all(calling);

      const actual = connected.map(({ revision, client: { questions } }, index) => ({
        revision,
        questions,
        result: JSON.parse(results[index]?.text ?? "") as unknown,
      }));
      const expected = connected.map(({ revision }) => {
        const { message, schema, answer } = kindIn(revision, tool);
        const mode = revision >= "2025-11-25" ? { mode: "form" } : {};
        return { revision, questions: [{ ...mode, message, requestedSchema: schema }], result: { answer } };
      });
      expect(actual).toEqual(expected);
    },
  );

  it(verifies(["C2", "C6"], "receive their own answers, in any order"), async () => {
    const numbers = [1, 2, 3];
    const answerLastFirst = lastFirst(connected.length * numbers.length);

    const results = await Promise.all(
      connected.map(({ client }, index) => {
        client.answer = answerLastFirst((message) => ({ value: `${index} to ${message}` }));
        return Promise.all(numbers.map(async (number) => (await client.call("numbered", { number })).text));
      }),
    );

    expect(results).toEqual(
      connected.map((_, index) => numbers.map((number) => `${number}: ${index} to Question ${number}?`)),
    );
    expect(server.parked).toBe(0);
  });

  it(verifies(["C2", "C4"], "are asked by URL only if their revision has url elicitation"), async () => {
    const hasUrls = connected.map(({ revision }) => revision >= "2025-11-25");
    const answerLastFirst = lastFirst(hasUrls.filter(Boolean).length);

    const results = await Promise.all(
      connected.map(({ client }) => {
        client.received.clear();
        client.answer = answerLastFirst(() => undefined);
        return client.call("url-code");
      }),
    );

    const asked = connected.map(({ client }) => client.questions.map(({ mode }) => mode));
    expect(asked).toEqual(hasUrls.map((has) => (has ? ["url"] : [])));
    expect(results.map(({ text }) => text)).toEqual(
      hasUrls.map((has) => (has ? '{"answer":null}' : "ASK_UNSUPPORTED ask-1")),
    );
  });
});
