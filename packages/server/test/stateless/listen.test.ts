/** `subscriptions/listen`: a request that is answered with notifications. */
import { resource, type Resource } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { META, type StatelessClient, type OpenRequest, codeIn } from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";

/** A page that changes when it is told to. */
function pages(): {
  readonly page: Resource<never>;
  readonly change: (uri: string) => void;
  readonly watched: Set<string>;
} {
  const changers = new Map<string, () => void>();
  const watched = new Set<string>();
  const page = resource({
    uri: "page://{number}",
    watch({ uri, changed, signal }) {
      watched.add(uri);
      changers.set(uri, changed);
      signal.addEventListener("abort", () => watched.delete(uri));
    },
    async *run({ number }) {
      return number;
    },
  });
  return { page, change: (uri) => changers.get(uri)?.(), watched };
}

const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

const isNotification = ({ method }: Message): boolean => method !== undefined;

function listenTo(client: StatelessClient, notifications: Fields, id: string | number = "l"): OpenRequest {
  return client.begin("subscriptions/listen", { notifications }, { id });
}

describe.each(Object.entries(statelessTransports))("listening over %s", (_, set) => {
  it(verifies("C5", "is acknowledged first, with what will be told of all that was wanted"), async () => {
    const { page } = pages();
    const client = await (await set({ tools: [echo], resources: [page] })).connect();
    const wanted = {
      toolsListChanged: true,
      promptsListChanged: false,
      resourceSubscriptions: ["page://1", "page://1", "other://2"],
      taskIds: ["t"],
    };

    const acknowledged = await listenTo(client, wanted).messages.next(isNotification);

    expect(acknowledged).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta: { [META.subscriptionId]: "l" },
        notifications: { toolsListChanged: true, resourceSubscriptions: ["page://1"] },
      },
    });
  });

  it.each(["l", 0, 7])(
    verifies("C5", "tells what was wanted and nothing else, under the id %j of its request"),
    async (id) => {
      const { page, change } = pages();
      const stage = await set({ tools: [echo], resources: [page] });
      const client = await stage.connect();
      const { messages } = listenTo(
        client,
        { toolsListChanged: true, resourceSubscriptions: ["page://1"] },
        id,
      );
      await messages.next(isNotification);

      stage.server.replace({ prompts: [], resources: [page] });
      change("page://2");
      change("page://1");
      stage.server.replace({ tools: [greet] });
      const told = [await messages.next(isNotification), await messages.next(isNotification)];

      const meta = { [META.subscriptionId]: id };
      expect(told.map(({ method, params }) => [method, params])).toEqual([
        ["notifications/resources/updated", { _meta: meta, uri: "page://1" }],
        ["notifications/tools/list_changed", { _meta: meta }],
      ]);
    },
  );

  it("goes on beside calls, which tell it nothing, and beside others that listen", async () => {
    const stage = await set({ tools: [echo, greet] });
    const client = await stage.connect();
    const one = listenTo(client, { toolsListChanged: true }, "one");
    await one.messages.next(isNotification);
    const two = listenTo(await stage.connect(), { promptsListChanged: true }, "two");
    await two.messages.next(isNotification);

    const asked = await client.call("greet", {}, { meta: { progressToken: 1 } });
    await client.accept(asked, { "ask-1": "Ada" });
    stage.server.replace({ tools: [echo], prompts: [] });

    expect((await one.messages.next(isNotification)).method).toBe("notifications/tools/list_changed");
    expect((await two.messages.next(isNotification)).method).toBe("notifications/prompts/list_changed");
  });

  it(
    verifies(["C5", "B8"], "ends when it is given up: nothing is watched any more, and nothing told"),
    async () => {
      const { page, watched } = pages();
      const clock = countingClock();
      const stage = await set({ tools: [echo], resources: [page], clock });
      const client = await stage.connect();
      const listening = listenTo(client, { ...all, resourceSubscriptions: ["page://1", "page://2"] });
      await listening.messages.next(isNotification);
      await client.request("server/discover");
      expect([...watched]).toEqual(["page://1", "page://2"]);

      await listening.leave();
      while (watched.size > 0) await client.request("server/discover");
      stage.server.replace({ tools: [] });
      await client.request("server/discover");

      const received = (listening.messages.all as readonly Message[]).filter(isNotification);
      expect(received).toHaveLength(1);
    },
  );

  it.each<[string, Fields]>([
    ["nothing is said of what to", {}],
    ["what to is a list", { notifications: [] }],
    ["what to is null", { notifications: null }],
    ["resources are a text", { notifications: { resourceSubscriptions: "page://1" } }],
    ["resources are numbers", { notifications: { resourceSubscriptions: [1] } }],
  ])(verifies("C5", "is refused with -32602 where %s"), async (__, params) => {
    const client = await (await set({ tools: [echo] })).connect();

    expect(codeIn(await client.request("subscriptions/listen", params))).toBe(-32602);
  });
});

describe("many that listen at once", () => {
  it("are told all, and nobody is warned of them", async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown): void => void warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const stage = await statelessTransports.websocket({ tools: [echo] });
    const client = await stage.connect();
    const ids = Array.from({ length: 20 }, (__, at) => at);

    const listening = ids.map((id) => listenTo(client, { toolsListChanged: true }, id));
    for (const { messages } of listening) await messages.next(isNotification);
    stage.server.replace({ tools: [] });
    const told = await Promise.all(listening.map(({ messages }) => messages.next(isNotification)));
    await stage.server.close();

    const by = told.map(({ params = {} }) => (params["_meta"] as Fields)[META.subscriptionId]);
    expect(by.toSorted((one, other) => Number(one) - Number(other))).toEqual(ids);
    expect(
      (await Promise.all(listening.map(({ received }) => received))).map(({ answer }) => answer.id),
    ).toEqual(ids);
    expect(warnings).toEqual([]);
  });
});

describe("listening to more than a request may", () => {
  it("is refused, and exactly that many is not", async () => {
    const { page } = pages();
    const { client } = await serveStateless({ resources: [page], limits: { subscriptions: 2 } });
    const uris = ["page://1", "page://2", "page://3"];

    const refused = await client.request("subscriptions/listen", {
      notifications: { resourceSubscriptions: uris },
    });
    const listening = listenTo(client, { resourceSubscriptions: uris.slice(1) });

    expect(refused.answer.error).toMatchObject({
      code: -31001,
      message: "One request listens to at most 2 resources.",
    });
    expect((await listening.messages.next(isNotification)).params?.["notifications"]).toEqual({
      resourceSubscriptions: uris.slice(1),
    });
  });

  it("is refused before anything is looked for: it counts what was named, whether or not it is there", async () => {
    const { client } = await serveStateless({ limits: { subscriptions: 2 } });

    const refused = await client.request("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["nowhere://1", "nowhere://2", "nowhere://2"] },
    });

    expect(codeIn(refused)).toBe(-31001);
  });
});
